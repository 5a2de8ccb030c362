//! What is compared with what.

use super::operand::{self, Operand, Side, Sides};
use super::{Compared, SideArgs, texts};
use crate::cli::Context;
use crate::diagnostic::{self as codes, Diagnostic, Reported};
use crate::world::DiskWorld;

/// Reads both operands and compares them, record by record.
pub(crate) fn compare(
    operands: [Option<&str>; 2],
    args: &SideArgs,
    context: &mut Context,
) -> Result<Vec<Compared>, Reported> {
    let is_session = |written: &str| matches!(Operand::parse(written), Operand::Session(_));
    if let Some(what) = args.store.stray()
        && !operands.iter().flatten().any(|o| is_session(o))
    {
        let message = format!("{what}, and neither operand is one");
        let found = Diagnostic::error(codes::USAGE, message);
        let help = "session:ID stands for what a session keeps";
        return Err(context.diags.push(found.help(help)));
    }
    let [a, b] = operands;
    let a = match a {
        Some(a) => Operand::parse(a).read(args, context)?,
        None => {
            let wanted = args.given.scenario();
            Sides::Many(operand::recorded(args, &DiskWorld, "", wanted, context)?)
        }
    };
    let b = Operand::parse(b.unwrap_or(".")).read(args, context)?;
    let (a, b) = frozen(a, b, args, context)?;
    match (a, b) {
        (Sides::Many(a), Sides::Many(b)) => both(a, b, args, context),
        (Sides::Many(a), b) => many(a, &b, false, args, context),
        (a, Sides::Many(b)) => many(b, &a, true, args, context),
        (a, b) => {
            let a = one(a, args, context)?;
            let b = one(b, args, context)?;
            Ok(vec![sides(None, a, b, args, context)?])
        }
    }
}

/// What sessions keep, and as much of the other side.
fn frozen(
    a: Sides,
    b: Sides,
    args: &SideArgs,
    context: &mut Context,
) -> Result<(Sides, Sides), Reported> {
    Ok(match (a, b) {
        (Sides::Frozen(a), Sides::Frozen(b)) => (a.side(), b.side()),
        (Sides::Frozen(a), b) => {
            let b = a.beside(b, args, context)?;
            (a.side(), b)
        }
        (a, Sides::Frozen(b)) => (b.beside(a, args, context)?, b.side()),
        other => other,
    })
}

/// Records on one side. A build now is made for each; a file is compared with the only one.
fn many(
    records: Vec<(String, Side)>,
    other: &Sides,
    swapped: bool,
    args: &SideArgs,
    context: &mut Context,
) -> Result<Vec<Compared>, Reported> {
    if let (Sides::One(_), true) = (other, records.len() > 1) {
        let message = "there are several records, and one prompt can be compared with one of them";
        return Err(context.diags.push(
            Diagnostic::error(codes::NOTHING_SELECTED, message)
                .help("name one with --scenario, or as record:NAME"),
        ));
    }
    let mut out = Vec::new();
    for (name, side) in records {
        let now = match other {
            Sides::One(side) => (**side).clone(),
            _ => operand::now(args, Some(&name), context)?,
        };
        let (a, b) = if swapped { (now, side) } else { (side, now) };
        out.push(sides(Some(name), a, b, args, context)?);
    }
    Ok(out)
}

/// Records on both sides, by their names.
fn both(
    a: Vec<(String, Side)>,
    b: Vec<(String, Side)>,
    args: &SideArgs,
    context: &mut Context,
) -> Result<Vec<Compared>, Reported> {
    let mut out = Vec::new();
    // Two names that were written belong together, whatever they are.
    if let ([(x, _)], [(y, _)]) = (a.as_slice(), b.as_slice()) {
        let name = if x == y {
            x.clone()
        } else {
            format!("{x} and {y}")
        };
        let pair = a.into_iter().zip(b).next();
        let Some(((_, a), (_, b))) = pair else {
            return Ok(out);
        };
        out.push(sides(Some(name), a, b, args, context)?);
        return Ok(out);
    }
    for (name, side) in a {
        if let Some((_, other)) = b.iter().find(|(n, _)| *n == name) {
            out.push(sides(Some(name), side, other.clone(), args, context)?);
        }
    }
    if out.is_empty() {
        let message = "the two sides have no record in common";
        return Err(context.diags.push(
            Diagnostic::error(codes::NOTHING_SELECTED, message)
                .help("name one of each side with record:NAME, or `promptc test --accept` anew"),
        ));
    }
    Ok(out)
}

fn one(sides: Sides, args: &SideArgs, context: &mut Context) -> Result<Side, Reported> {
    match sides {
        Sides::One(side) => Ok(*side),
        _ => operand::now(args, None, context),
    }
}

fn sides(
    record: Option<String>,
    a: Side,
    b: Side,
    args: &SideArgs,
    context: &mut Context,
) -> Result<Compared, Reported> {
    match (a, b) {
        (Side::Artifact(a_name, a, a_known), Side::Artifact(b_name, b, b_known)) => {
            let (a, b, diff) = operand::compared((&a, a_known), (&b, b_known));
            Ok(Compared {
                record,
                a_name,
                b_name,
                a,
                b,
                diff,
                b_known,
            })
        }
        (a, b) => texts::compare(record, a, b, args, context),
    }
}
