//! The pairs of prompts to compare.

use super::builds::{self, Builds};
use super::operand::{self, Operand};
use super::side::{CompareCall, Side, Sides};
use super::{revision, texts};
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::project::advised;
use crate::project::snapshots;
use crate::project::snapshots::accepted::{AcceptedBreaks, mark};
use crate::project::{Compared, Run};
use crate::world::{DiskWorld, TracingWorld, World};

/// The options of the call.
struct Call<'a> {
    args: &'a CompareCall,
    /// Whether it means all snapshots of either side, and names none.
    all: bool,
}

/// Reads both operands and compares them, snapshot by snapshot. A break that was accepted between them is marked.
pub(crate) fn compare(
    operands: [Option<&str>; 2],
    args: &CompareCall,
    run: &mut Run,
) -> Result<Vec<Compared>, ErrorReported> {
    let mut all = all(operands, args, run)?;
    if all.iter().any(|compared| compared.diff.first.is_some()) {
        accepted(&mut all, operands, args, run)?;
    }
    all.iter_mut().for_each(advised::retain);
    Ok(all)
}

/// Marks what was accepted between a revision and another one, or the files here.
fn accepted(
    all: &mut [Compared],
    [a, b]: [Option<&str>; 2],
    args: &CompareCall,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let b = Operand::parse(b.unwrap_or("."));
    let built_in = args
        .build
        .project
        .name()
        .is_some_and(|name| name.starts_with(crate::manifest::BUILT_IN));
    let (Some(Operand::Git(a)), false) = (a.map(Operand::parse), built_in) else {
        return Ok(());
    };
    let before = accepted_at(a, args, run)?;
    let after = match b {
        Operand::Git(b) => accepted_at(b, args, run)?,
        Operand::Here | Operand::Snapshot(_) => accepted_in(&DiskWorld, args, run)?,
        Operand::Session(_) | Operand::File(_) => return Ok(()),
    };
    mark(all, &before, &after);
    Ok(())
}

fn accepted_at(
    rev: &str,
    args: &CompareCall,
    run: &mut Run,
) -> Result<AcceptedBreaks, ErrorReported> {
    let world = revision::open(rev, run)?;
    revision::told(rev, run, |run| accepted_in(&world, args, run))
}

fn accepted_in(
    world: &dyn World,
    args: &CompareCall,
    run: &mut Run,
) -> Result<AcceptedBreaks, ErrorReported> {
    let manifest = args.manifest(world, run)?;
    snapshots::accepted::read(world, &manifest, &mut run.files, &mut run.diags)
}

fn all(
    operands: [Option<&str>; 2],
    args: &CompareCall,
    run: &mut Run,
) -> Result<Vec<Compared>, ErrorReported> {
    stray(operands, args, run)?;
    let is_snapshot = |written: &str| matches!(Operand::parse(written), Operand::Snapshot(_));
    let given = &args.build;
    let call = Call {
        args,
        all: given.inputs.scenario.is_none()
            && !given.inputs.gives()
            && !operands.iter().flatten().any(|o| is_snapshot(o)),
    };
    let [a, b] = operands;
    let a = match a {
        Some(a) => Operand::parse(a).read(args, run)?,
        None => {
            let wanted = args.build.inputs.scenario.as_deref();
            Sides::Many(operand::recorded(args, &DiskWorld, "", wanted, run)?)
        }
    };
    let b = Operand::parse(b.unwrap_or(".")).read(args, run)?;
    unused(&a, &b, args, run);
    let (a, b) = frozen(a, b, args, run)?;
    match (a, b) {
        (Sides::Many(a), Sides::Many(b)) => both(a, b, &call, run),
        (Sides::Many(a), b) => many(a, &b, false, &call, run),
        (a, Sides::Many(b)) => many(b, &a, true, &call, run),
        (a, b) => {
            let a = one(a, args, run)?;
            let b = one(b, args, run)?;
            Ok(vec![sides(None, a, b, args, run)?])
        }
    }
}

/// Options without meaning for these operands, and standard input that would be read twice.
fn stray(
    operands: [Option<&str>; 2],
    args: &CompareCall,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let any =
        |is: fn(Operand<'_>) -> bool| operands.iter().flatten().any(|o| is(Operand::parse(o)));
    let readers = [
        ("A", operands[0] == Some("-")),
        ("B", operands[1] == Some("-")),
        ("--facts", args.build.inputs.takes_stdin()),
    ];
    let mut readers = readers.iter().filter(|(_, reads)| *reads);
    let found = match (readers.next(), readers.next(), args.options.store.stray()) {
        (Some((a, _)), Some((b, _)), _) => Some((
            format!("{a} and {b} both read standard input"),
            "give one of them as a file",
        )),
        (_, _, Some(what)) if !any(|o| matches!(o, Operand::Session(_))) => Some((
            format!("{what}, and neither operand is one"),
            "session:ID names the prompt that a session keeps",
        )),
        _ if args.options.recorded && !any(|o| matches!(o, Operand::Git(_))) => Some((
            "--recorded says how git:REV is read, and neither operand is one".to_owned(),
            "git:REV --recorded names the snapshots of a revision",
        )),
        _ => None,
    };
    match found {
        Some((message, help)) => {
            let found = Diagnostic::error(codes::USAGE, message);
            Err(run.diags.push(found.help(help)))
        }
        None => Ok(()),
    }
}

/// Warns of inputs for a build where both sides were built before.
fn unused(a: &Sides, b: &Sides, args: &CompareCall, run: &mut Run) {
    let is_built =
        |sides: &Sides| matches!(sides, Sides::One(side) if matches!(**side, Side::Artifact(..)));
    if args.build.inputs.gives_any() && is_built(a) && is_built(b) {
        let message =
            "the given facts, roots or scenario are not used: both prompts were built before";
        let found = Diagnostic::warning(codes::UNUSED_INPUT, message);
        run.diags
            .push(found.help("`.` is a build now; leave them out otherwise"));
    }
}

/// The frozen prompts of sessions, and the matching part of the other side.
fn frozen(
    a: Sides,
    b: Sides,
    args: &CompareCall,
    run: &mut Run,
) -> Result<(Sides, Sides), ErrorReported> {
    Ok(match (a, b) {
        (Sides::Frozen(a), Sides::Frozen(b)) => (a.side(), b.side()),
        (Sides::Frozen(a), b) => {
            let b = a.beside(b, args, run)?;
            (a.side(), b)
        }
        (a, Sides::Frozen(b)) => (b.beside(a, args, run)?, b.side()),
        other => other,
    })
}

/// Snapshots on one side. A build now is made for each; a file is compared with the only one.
fn many(
    snapshots: Vec<(String, Side)>,
    other: &Sides,
    swapped: bool,
    call: &Call<'_>,
    run: &mut Run,
) -> Result<Vec<Compared>, ErrorReported> {
    let args = call.args;
    let Sides::One(other) = other else {
        return with_now(snapshots, swapped, call, run);
    };
    let Ok([(name, side)]) = <[_; 1]>::try_from(snapshots) else {
        let message =
            "there are several scenarios, and one prompt can be compared with one of them";
        return Err(run.diags.push(
            Diagnostic::error(codes::NOTHING_SELECTED, message)
                .help("name one with --scenario, or as snapshot:NAME"),
        ));
    };
    let (a, b) = in_order(side, (**other).clone(), swapped);
    Ok(vec![sides(Some(name), a, b, args, run)?])
}

/// Snapshots, each with a build now of its scenario.
fn with_now(
    snapshots: Vec<(String, Side)>,
    swapped: bool,
    call: &Call<'_>,
    run: &mut Run,
) -> Result<Vec<Compared>, ErrorReported> {
    let args = call.args;
    let manifest = args.build.project.open_in(&DiskWorld, run)?;
    let recorded: Vec<String> = snapshots.iter().map(|(name, _)| name.clone()).collect();
    let noted = TracingWorld::new(&DiskWorld);
    let mut builds = Builds::new(args, &noted, &manifest);
    let mut out = Vec::new();
    for (name, side) in snapshots {
        // The only requested one cannot be skipped.
        if recorded.len() > 1 && !builds::stands(args, &manifest, &name) {
            lonely(&name, swapped, run);
            continue;
        }
        let prompt = Box::new(builds.scenario(&name, run)?);
        let now = Side::Artifact(format!("{name} now"), prompt, true);
        let (a, b) = in_order(side, now, swapped);
        out.push(sides(Some(name), a, b, args, run)?);
    }
    run.read.extend(noted.into_read());
    for scenario in manifest.tried().filter(|_| call.all) {
        if !recorded.contains(&scenario.name.value) {
            lonely(&scenario.name.value, !swapped, run);
        }
    }
    some(out, run)
}

fn in_order(snapshot: Side, other: Side, swapped: bool) -> (Side, Side) {
    if swapped {
        (other, snapshot)
    } else {
        (snapshot, other)
    }
}

/// Reports a scenario that only one side has.
fn lonely(name: &str, in_b: bool, run: &mut Run) {
    let message = if in_b {
        format!("the scenario `{name}` is new: only B has it, and it is not compared")
    } else {
        format!("the scenario `{name}` is gone: only A has it, and it is not compared")
    };
    let help =
        "`promptc test` reports scenarios without a record, and of snapshots without a scenario";
    let found = Diagnostic::warning(codes::UNKNOWN_SCENARIO, message);
    run.diags.push(found.help(help));
}

/// Fails if nothing was compared.
fn some(out: Vec<Compared>, run: &mut Run) -> Result<Vec<Compared>, ErrorReported> {
    if out.is_empty() {
        let message = "the two sides have no snapshot in common";
        let found = Diagnostic::error(codes::NOTHING_SELECTED, message);
        return Err(run.diags.push(found.help(
            "name one of each side with snapshot:NAME, or run `promptc test --accept` again",
        )));
    }
    Ok(out)
}

/// Snapshots on both sides, by their names.
fn both(
    a: Vec<(String, Side)>,
    b: Vec<(String, Side)>,
    call: &Call<'_>,
    run: &mut Run,
) -> Result<Vec<Compared>, ErrorReported> {
    let args = call.args;
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
        out.push(sides(Some(name), a, b, args, run)?);
        return Ok(out);
    }
    let has = |side: &[(String, Side)], name: &str| side.iter().any(|(n, _)| n == name);
    for (name, _) in a.iter().filter(|(name, _)| call.all && !has(&b, name)) {
        lonely(name, false, run);
    }
    for (name, _) in b.iter().filter(|(name, _)| call.all && !has(&a, name)) {
        lonely(name, true, run);
    }
    for (name, side) in a {
        if let Some((_, other)) = b.iter().find(|(n, _)| *n == name) {
            out.push(sides(Some(name), side, other.clone(), args, run)?);
        }
    }
    some(out, run)
}

fn one(sides: Sides, args: &CompareCall, run: &mut Run) -> Result<Side, ErrorReported> {
    match sides {
        Sides::One(side) => Ok(*side),
        _ => operand::now(args, run),
    }
}

fn sides(
    snapshot: Option<String>,
    a: Side,
    b: Side,
    args: &CompareCall,
    run: &mut Run,
) -> Result<Compared, ErrorReported> {
    match (a, b) {
        (Side::Artifact(a_name, a, a_known), Side::Artifact(b_name, b, b_known)) => Ok(Compared {
            snapshot,
            a_name,
            b_name,
            ..Compared::within((&a, a_known), (&b, b_known), args.options.max_builds)
        }),
        (a, b) => texts::compare(snapshot, a, b, args, run),
    }
}
