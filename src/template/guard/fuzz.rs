//! Whatever the program, its checks change nothing else in its tree, and are where they must be.

use super::shape::{is_constant, is_light, is_near, is_text};
use super::{Guarded, INDEXED, KEPT, MADE, WEIGHED};
use crate::template::spans::argument;
use crate::template::syntax::{self, JOINED, SUMMED, compares, sign};
use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, Stmt, UnaryOpKind};
use proptest::prelude::*;

/// A random expression. Some are none that the engine's parser takes, such as `a + not b`.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "b", "c", "n", "1", "70", "'x'", "'+('", "true", "[]", "[1]", "loop",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 24, 3, |e| {
        let signs = prop::sample::select(vec![
            " + ", " + ", "+", " - ", "-", " * ", " / ", " // ", " % ", " ** ", " ~ ", " ~ ", "~",
            " == ", "==", " != ", " < ", " <= ", " > ", " >= ", " in ", " not in ", " and ",
            " or ",
        ]);
        let behind = prop::sample::select(vec![
            "|f",
            " | f.g",
            ".b",
            "[0]",
            "[-1]",
            "[1:]",
            "[:-2]",
            "()",
            " is t",
            " is not t",
            " is t -b",
            " is t a[1:]",
            " is t [a]",
            " is t {'a': [b]}.a",
            " is t(b)",
            " is t a[b]",
        ]);
        let around = prop::sample::select(vec![
            ("-", ""),
            ("-", ""),
            ("- ", ""),
            ("not ", ""),
            ("(", ")"),
            ("(", ")"),
            ("( ", " )"),
            ("[", "]"),
            ("{'a': ", "}"),
            ("{", ": b}"),
            ("(", ",)"),
            ("f(", ")"),
            ("f(*", ")"),
            ("f(k=", ")"),
            ("f(**", ")"),
            ("a[", "]"),
            ("a[", ":]"),
            ("a[:", "]"),
            ("loop.changed(", ")"),
            ("x is t(", ")"),
            ("x is t ", ""),
            ("a|f(", ")"),
        ]);
        let between = prop::sample::select(vec![
            ("", "[", "]"),
            ("", "[", ":]"),
            ("", "(", ")"),
            ("", "(k=", ")"),
            ("", "|f(", ")"),
            ("", " is t ", ""),
            ("[", ", ", "]"),
            ("(", ", ", ")"),
            ("{", ": ", "}"),
            ("f(", ", ", ")"),
            ("loop.changed(", ", ", ")"),
            ("", " if ", ""),
            ("a[", ":", "]"),
        ]);
        prop_oneof![
            4 => (e.clone(), signs, e.clone()).prop_map(|(a, sign, b)| a + sign + &b),
            2 => (e.clone(), behind).prop_map(|(a, behind)| a + behind),
            4 => (e.clone(), around).prop_map(|(a, (open, close))| format!("{open}{a}{close}")),
            2 => (e.clone(), between, e.clone())
                .prop_map(|(a, (open, mid, close), b)| format!("{open}{a}{mid}{b}{close}")),
            1 => (e.clone(), e.clone(), e)
                .prop_map(|(a, b, c)| format!("{a} if {b} else {c}")),
        ]
    })
}

/// Tags around an expression, which is `$` in them.
const TAGS: &[&str] = &[
    "{{ $ }}",
    "{{-$-}}",
    "{% set x = $ %}",
    "{% set x = $, b -%}",
    "{% set n.x = $ %}",
    "{% set (n.x, y) = ($) -%}",
    "{% with x = $, y = $ %}{{ x }}{% endwith %}",
    "{% if $ %}{% elif $ %}{% endif %}",
    "{% for x in $ if $ %}{{ x }}{% else %}{{ $ }}{% endfor %}",
    "{% for x in $, c %}{% endfor %}",
    "{% macro m(x=$) %}{% endmacro %}",
    "{% call(x) f($, k=$) %}{% endcall %}",
    "{% do f($, *$) %}",
    "{% filter f($) %}{{ $ }}{% endfilter %}",
    "{% set n.x | f($) -%}{{ $ }}{% endset %}",
    "{% autoescape $ %}{% endautoescape %}",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 1_000_000, ..Default::default() })]
    #[test]
    fn checks_change_nothing_else_in_an_expression(source in expressions()) {
        let tree = syntax::expression(&source);
        prop_assume!(tree.as_ref().is_ok_and(|tree| !names_not(tree)));
        let tree = tree.unwrap();
        let made = Guarded::expression(&source, &tree);
        let guarded = syntax::bounded_expression(&made.text);
        prop_assert!(guarded.is_ok(), "{source}\n{}", made.text);
        let guarded = guarded.unwrap();
        prop_assert_eq!(tree_of(&guarded), tree_of(&tree), "{}\n{}", source, made.text);
        let missing = missing(&guarded);
        prop_assert!(missing.is_empty(), "{source}\n{}\n{missing:?}", made.text);
    }

    #[test]
    fn checks_change_nothing_else_in_a_template(
        tag in prop::sample::select(TAGS), expression in expressions()
    ) {
        let alone = syntax::expression(&expression);
        prop_assume!(alone.is_ok_and(|tree| !names_not(&tree)));
        let source = tag.replace('$', &expression);
        let Ok(tree) = syntax::template(&source) else { return Ok(()) };
        let made = Guarded::template(&source, &tree);
        let guarded = syntax::bounded_template(&made.text);
        prop_assert!(guarded.is_ok(), "{source}\n{}", made.text);
        let guarded = guarded.unwrap();
        let (mut of_source, mut of_guarded) = (Vec::new(), Vec::new());
        each(&tree, &mut |e| of_source.push(tree_of(e)));
        let mut lacks = Vec::new();
        each(&guarded, &mut |e| {
            of_guarded.push(tree_of(e));
            lacks.extend(missing(e));
        });
        prop_assert_eq!(of_guarded, of_source, "{}\n{}", source, made.text);
        prop_assert!(lacks.is_empty(), "{source}\n{}\n{lacks:?}", made.text);
    }
}

/// Whether the engine's parser took a `not` for a name, as in `a + not - b`.
fn names_not(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Var(s) if s.id == "not") || parts(expr).1.into_iter().any(names_not)
}

/// The name of a check, and what is checked.
fn check<'e, 's>(expr: &'e Expr<'s>) -> Option<(&'s str, &'e Expr<'s>)> {
    match expr {
        Expr::Filter(s) if [WEIGHED, MADE, KEPT, INDEXED].contains(&s.name) => {
            Some((s.name, s.expr.as_ref()?))
        }
        Expr::GetItem(s) => match &s.expr {
            Expr::Var(v) if [SUMMED, JOINED].contains(&v.id) => Some((v.id, &s.subscript_expr)),
            _ => None,
        },
        _ => None,
    }
}

/// The expression without the checks around it.
fn bare<'e, 's>(mut expr: &'e Expr<'s>) -> &'e Expr<'s> {
    while let Some((_, inner)) = check(expr) {
        expr = inner;
    }
    expr
}

/// Whether a check of this name is among those around it.
fn has(mut expr: &Expr<'_>, name: &str) -> bool {
    while let Some((found, inner)) = check(expr) {
        if found == name {
            return true;
        }
        expr = inner;
    }
    false
}

/// The head of an expression and its parts.
fn parts<'e, 's>(expr: &'e Expr<'s>) -> (String, Vec<&'e Expr<'s>>) {
    let of = |head: &str, parts| (head.to_owned(), parts);
    let with = |head: String, first: Option<&'e Expr<'s>>, args: &'e [CallArg<'s>]| {
        let kinds = args.iter().map(|arg| match arg {
            CallArg::Pos(_) => String::new(),
            CallArg::Kwarg(name, _) => format!("{name}="),
            CallArg::PosSplat(_) => "*".to_owned(),
            CallArg::KwargSplat(_) => "**".to_owned(),
        });
        let head = format!("{head}({})", kinds.collect::<Vec<_>>().join(","));
        (
            head,
            first.into_iter().chain(args.iter().map(argument)).collect(),
        )
    };
    match expr {
        Expr::Var(s) => of(s.id, vec![]),
        Expr::Const(s) => (format!("{:?}", s.value), vec![]),
        Expr::Slice(s) => {
            let bounds = [&s.start, &s.stop, &s.step];
            let given = bounds.map(|b| if b.is_some() { "_" } else { "" });
            let head = format!("[{}]", given.join(":"));
            (
                head,
                std::iter::once(&s.expr)
                    .chain(bounds.into_iter().flatten())
                    .collect(),
            )
        }
        Expr::UnaryOp(s) => match s.op {
            UnaryOpKind::Not => of("not", vec![&s.expr]),
            UnaryOpKind::Neg => of("neg", vec![&s.expr]),
        },
        Expr::BinOp(s) => of(sign(s.op), vec![&s.left, &s.right]),
        Expr::Compare(s) => {
            let signs: Vec<&str> = s
                .ops
                .iter()
                .map(|op| {
                    let (op, negated) = syntax::of_chain(op.op);
                    if negated { "not in" } else { sign(op) }
                })
                .collect();
            (
                signs.join(" "),
                std::iter::once(&s.expr)
                    .chain(s.ops.iter().map(|op| &op.expr))
                    .collect(),
            )
        }
        Expr::IfExpr(s) => of(
            "if",
            [&s.test_expr, &s.true_expr]
                .into_iter()
                .chain(&s.false_expr)
                .collect(),
        ),
        Expr::Filter(s) => with(format!("|{}", s.name), s.expr.as_ref(), &s.args),
        Expr::Test(s) => with(format!("is {}", s.name), Some(&s.expr), &s.args),
        Expr::GetAttr(s) => (format!(".{}", s.name), vec![&s.expr]),
        Expr::GetItem(s) => of("[_]", vec![&s.expr, &s.subscript_expr]),
        Expr::Call(s) => with("call".to_owned(), Some(&s.expr), &s.args),
        Expr::List(s) => of("list", s.items.iter().collect()),
        Expr::Tuple(s) => of("tuple", s.items.iter().collect()),
        Expr::Map(s) => of("map", s.keys.iter().chain(&s.values).collect()),
    }
}

/// The tree of an expression, as text, without checks.
fn tree_of(expr: &Expr<'_>) -> String {
    let (head, parts) = parts(bare(expr));
    match parts.as_slice() {
        [] => head,
        parts => {
            let parts: Vec<String> = parts.iter().map(|e| tree_of(e)).collect();
            format!("({head} {})", parts.join(" "))
        }
    }
}

/// What of an expression lacks the check that it needs.
fn missing(expr: &Expr<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    look(expr, "", &mut missing);
    missing
}

/// `parent` is the head of the expression that this one is a part of.
fn look(checked: &Expr<'_>, parent: &str, missing: &mut Vec<String>) {
    let expr = bare(checked);
    let (head, parts) = parts(expr);
    let mut need = |e: &Expr<'_>, name: &str, needed: bool| {
        if needed && !has(e, name) {
            missing.push(format!("{name} around {}", tree_of(e)));
        }
    };
    let within = ["list", "tuple", "map"].contains(&parent);
    match expr {
        Expr::BinOp(s) => {
            let constant = is_constant(bare(&s.left)) || is_constant(bare(&s.right));
            match s.op {
                BinOpKind::Concat => {
                    for e in [&s.left, &s.right] {
                        need(e, JOINED, !is_text(bare(e)));
                    }
                }
                BinOpKind::Add => need(checked, SUMMED, parent != "+" && !constant),
                op if compares(op) => {
                    let both = matches!(op, BinOpKind::In);
                    need(&s.left, WEIGHED, both && !is_light(bare(&s.left)));
                    need(
                        &s.right,
                        WEIGHED,
                        (both || !constant) && !is_light(bare(&s.right)),
                    );
                }
                _ => {}
            }
        }
        Expr::Compare(_) => {
            for e in &parts {
                need(e, WEIGHED, !is_light(bare(e)));
            }
        }
        Expr::GetItem(s) => {
            let index = bare(&s.subscript_expr);
            need(&s.subscript_expr, WEIGHED, !is_light(index));
            need(&s.expr, INDEXED, !is_near(index));
        }
        Expr::Slice(s) => need(&s.expr, INDEXED, true),
        Expr::List(s) => need(checked, MADE, !within && s.as_const().is_none()),
        Expr::Map(s) => need(checked, MADE, !within && s.as_const().is_none()),
        Expr::Call(s) => {
            let changed = matches!(&s.expr, Expr::GetAttr(s) if s.name == "changed");
            for e in s.args.iter().map(argument) {
                let lazy = matches!(bare(e), Expr::Slice(_));
                need(e, WEIGHED, changed);
                need(e, MADE, !changed && lazy);
            }
        }
        _ => {}
    }
    for part in parts {
        look(part, &head, missing);
    }
}

/// Each expression of a statement but its targets, with those of the statements in it.
fn each<'e>(statement: &'e Stmt<'_>, f: &mut dyn FnMut(&'e Expr<'e>)) {
    let all = |statements: &'e [Stmt<'_>], f: &mut dyn FnMut(&'e Expr<'e>)| {
        statements.iter().for_each(|s| each(s, f));
    };
    match statement {
        Stmt::Template(s) => all(&s.children, f),
        Stmt::EmitExpr(s) => f(&s.expr),
        Stmt::ForLoop(s) => {
            f(&s.iter);
            s.filter_expr.iter().for_each(&mut *f);
            all(&s.body, f);
            all(&s.else_body, f);
        }
        Stmt::IfCond(s) => {
            f(&s.expr);
            all(&s.true_body, f);
            all(&s.false_body, f);
        }
        Stmt::WithBlock(s) => {
            s.assignments.iter().for_each(|(_, value)| f(value));
            all(&s.body, f);
        }
        Stmt::Set(s) => f(&s.expr),
        Stmt::SetBlock(s) => {
            s.filter.iter().for_each(&mut *f);
            all(&s.body, f);
        }
        Stmt::AutoEscape(s) => {
            f(&s.enabled);
            all(&s.body, f);
        }
        Stmt::FilterBlock(s) => {
            f(&s.filter);
            all(&s.body, f);
        }
        Stmt::Macro(s) => s.defaults.iter().for_each(&mut *f),
        Stmt::CallBlock(s) => s.call.args.iter().map(argument).for_each(&mut *f),
        Stmt::Do(s) => s.call.args.iter().map(argument).for_each(&mut *f),
        _ => {}
    }
}
