//! Converts arguments and properties to their values.

use super::read::Value;
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::diagnostic::suggest::{list, nearest};
use crate::diagnostic::{
    DURATION_SYNTAX, Diagnostic, FILE_NAME_SYNTAX, INVALID_NAME, OUT_OF_RANGE, RESERVED_NAME,
    UNKNOWN_VALUE, WRONG_TYPE,
};
use crate::manifest::{FileName, Lit, Order};
use crate::prompt::{Changes, Deliver};
use crate::syntax::{Scalar, write};
use crate::text::document::Document;
use crate::text::duration;
use crate::text::measure::thousands;
use crate::text::normalise::Marks;
use serde_json::Value as Json;
use std::ops::RangeInclusive;

const TEXT: &str = "text";
const BOOL: &str = "`#true` or `#false`";
const MARKS: &str = "`#true`, `#false` or `all`";
const NUMBER: &str = "a number";
const FACT: &str = "the name of a fact after `(fact)`";
const DURATION: &str = "a length of time such as \"5m\"";
const SIZE: &str = "a whole number from 0";
/// The largest is that of a `u64`.
const LESS: &str = "a whole number up to 18,446,744,073,709,551,615";

/// Whether this can be the name of a tier, layer, root or scenario. It is one component of a path.
pub(crate) fn is_name(name: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(inside)
}

impl Value<'_> {
    /// The value with its place.
    fn spanned<T>(self, value: T) -> Spanned<T> {
        Spanned::new(value, self.span())
    }

    /// Reports that the value has another type than `wanted`.
    fn wrong_type(self, wanted: &str) {
        let message = format!("`{}` takes {wanted}, not {}", self.what, self.given());
        let mut found = Diagnostic::error(WRONG_TYPE, message).at(self.span());
        found = match (wanted, self.unchecked()) {
            (TEXT, _) => {
                let quoted = write::one_line(self.written().trim_start_matches('#'));
                found
                    .help(format!("write `{quoted}`"))
                    .suggest(self.span(), quoted)
            }
            (BOOL | MARKS, Scalar::Text(s)) if s == "true" || s == "false" => found
                .help(format!("write `#{s}`"))
                .suggest(self.span(), format!("#{s}")),
            (BOOL, _) => found.help("write `#true` or `#false`"),
            (DURATION, _) => found.help("whole numbers with `d`, `h`, `m` or `s`, in quotes"),
            (MARKS, _) => found.help("write `#true`, `#false` or `all`"),
            (_, Scalar::Text(s)) if s.parse::<f64>().is_ok_and(f64::is_finite) => found
                .help("numbers are written without quotes")
                .suggest(self.span(), s),
            _ => found.help("write it without quotes, such as 0.7 or 4000"),
        };
        self.cx.report(found);
    }

    /// The kind of a value, in words.
    fn given(self) -> &'static str {
        match self.unchecked() {
            Scalar::Text(_) => "text",
            Scalar::Integer(_) | Scalar::Float(_) => "a number",
            Scalar::Bool(_) => "true or false",
            Scalar::Null => "null",
        }
    }

    /// Reports a number that is too small, too large or not whole.
    fn out_of_range(self, wanted: &str) {
        self.cx.report(
            Diagnostic::error(OUT_OF_RANGE, format!("`{}` takes {wanted}", self.what))
                .at(self.span())
                .help(format!("write {wanted}")),
        );
    }

    /// A text.
    pub(crate) fn text(self) -> Option<Spanned<String>> {
        match self.plain() {
            Scalar::Text(s) => Some(self.spanned(s.to_owned())),
            _ => {
                self.wrong_type(TEXT);
                None
            }
        }
    }

    /// A text with the way back to each of its bytes.
    pub(crate) fn literal(self) -> Option<Literal> {
        self.text().map(|_| self.literal_of())
    }

    /// True or false.
    pub(crate) fn bool(self) -> Option<Spanned<bool>> {
        match self.plain() {
            Scalar::Bool(b) => Some(self.spanned(b)),
            _ => {
                self.wrong_type(BOOL);
                None
            }
        }
    }

    /// The location of `locked=#true`; none if it is `#false`.
    pub(crate) fn lock(self) -> Option<Span> {
        let locked = self.bool()?;
        locked.value.then(|| self.whole())
    }

    /// The byte order marks to remove: true (the first), false or `all`.
    pub(crate) fn marks(self) -> Option<Spanned<Marks>> {
        match self.plain() {
            Scalar::Bool(true) => Some(self.spanned(Marks::First)),
            Scalar::Bool(false) => Some(self.spanned(Marks::None)),
            Scalar::Text("all") => Some(self.spanned(Marks::All)),
            _ => {
                self.wrong_type(MARKS);
                None
            }
        }
    }

    /// `outer-first` or `inner-first`.
    pub(crate) fn order(self) -> Option<Spanned<Order>> {
        self.choice(&[
            ("outer-first", Order::OuterFirst),
            ("inner-first", Order::InnerFirst),
        ])
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(self, table: &[(&str, T)]) -> Option<Spanned<T>> {
        let words = || table.iter().map(|(word, _)| *word);
        let all = || list(words()).replace(" and ", " or ");
        let Scalar::Text(text) = self.plain() else {
            // A number in quotes would be none of them either.
            let message = format!("`{}` takes {}, not {}", self.what, all(), self.given());
            let found = Diagnostic::error(WRONG_TYPE, message).at(self.span());
            self.cx.report(found.help("write one of them"));
            return None;
        };
        if let Some((_, value)) = table.iter().find(|(word, _)| *word == text) {
            return Some(self.spanned(*value));
        }
        let message = format!(
            "`{text}` is not a value of `{}`, which takes {}",
            self.what,
            all()
        );
        let found = Diagnostic::error(UNKNOWN_VALUE, message).at(self.span());
        self.cx.report(match nearest(text, words()) {
            Some(near) => found
                .help(format!("did you mean `{near}`?"))
                .suggest(self.span(), near),
            None => found.help("write one of them"),
        });
        None
    }

    /// `never`, `deploy`, `session`, `day` or `turn`.
    pub(crate) fn changes(self) -> Option<Spanned<Changes>> {
        self.choice(&Changes::ALL.map(|c| (c.name(), c)))
    }

    /// `tools`, `system` or `user`.
    pub(crate) fn deliver(self) -> Option<Spanned<Deliver>> {
        self.choice(&Deliver::ALL.map(|d| (d.name(), d)))
    }

    /// `(fact)NAME`, or what `plain` reads.
    fn or_fact<T>(self, plain: impl Fn(Self) -> Option<Spanned<T>>) -> Option<Lit<T>> {
        match (self.annotation(), self.unchecked()) {
            (None, _) => plain(self).map(Lit::Value),
            (Some("fact"), Scalar::Text(name)) => Some(Lit::Fact(self.spanned(name.to_owned()))),
            (Some("fact"), _) => {
                self.wrong_type(FACT);
                None
            }
            (Some(other), _) => {
                let message = format!("there is no annotation `({other})`");
                self.report_annotation(message, "the only one is `(fact)NAME`");
                None
            }
        }
    }

    /// A text, or the fact that gives it.
    pub(crate) fn text_or_fact(self) -> Option<Lit<String>> {
        self.or_fact(Self::text)
    }

    /// The name of a file, or the fact that gives it.
    pub(crate) fn file_name(self) -> Option<FileName> {
        if self.annotation().is_some() {
            return match self.text_or_fact()? {
                Lit::Fact(name) => Some(FileName::Fact(name)),
                Lit::Value(_) => None,
            };
        }
        let name = self.literal()?;
        match FileName::parse(&name) {
            Ok(name) => Some(name),
            Err(fault) => {
                self.cx.report(
                    Diagnostic::error(FILE_NAME_SYNTAX, fault.why)
                        .at(name.span_of(fault.at))
                        .help("`{NAME}` stands for the value of a fact; a brace in the name of a file is written twice"),
                );
                None
            }
        }
    }

    /// A size, or the fact that gives it.
    pub(crate) fn size(self) -> Option<Lit<u64>> {
        self.or_fact(Self::plain_size)
    }

    /// A size that is written out.
    pub(crate) fn plain_size(self) -> Option<Spanned<u64>> {
        match self.plain() {
            Scalar::Integer(n) => match u64::try_from(n) {
                Ok(n) => Some(self.spanned(n)),
                Err(_) => {
                    self.out_of_range(if n < 0 { SIZE } else { LESS });
                    None
                }
            },
            Scalar::Float(_) => {
                self.out_of_range(SIZE);
                None
            }
            _ => {
                self.wrong_type(NUMBER);
                None
            }
        }
    }

    /// A whole number in a range.
    pub(crate) fn whole_number(self, range: RangeInclusive<usize>) -> Option<usize> {
        let number = match self.plain() {
            Scalar::Integer(n) => usize::try_from(n).ok().filter(|n| range.contains(n)),
            Scalar::Float(_) => None,
            _ => {
                self.wrong_type(NUMBER);
                return None;
            }
        };
        if number.is_none() {
            let most = thousands(&range.end().to_string());
            self.out_of_range(&format!("a whole number from {} to {most}", range.start()));
        }
        number
    }

    /// A number in a range.
    pub(crate) fn number(self, range: RangeInclusive<f64>) -> Option<f64> {
        let number = match self.plain() {
            // Nothing that is counted with fractions is near the numbers that lose digits here.
            Scalar::Integer(n) => n as f64,
            Scalar::Float(f) => f,
            _ => {
                self.wrong_type(NUMBER);
                return None;
            }
        };
        if range.contains(&number) {
            return Some(number);
        }
        let (least, most) = range.into_inner();
        self.out_of_range(&format!("a number from {least} to {most}"));
        None
    }

    /// A length of time, in seconds.
    pub(crate) fn duration(self) -> Option<Spanned<u64>> {
        let Scalar::Text(text) = self.plain() else {
            self.wrong_type(DURATION);
            return None;
        };
        let problem = match duration::seconds(text) {
            Ok(seconds) => return Some(self.spanned(seconds)),
            Err(duration::DurationError::Range) => {
                self.out_of_range("a length of time from 1s to 365d");
                return None;
            }
            Err(duration::DurationError::Syntax) => {
                format!("`{}` is not a length of time", text.escape_debug())
            }
        };
        let help = "write whole numbers with `d`, `h`, `m` or `s`, the largest first, such as \"90s\", \"5m\" or \"1h30m\"";
        let found = Diagnostic::error(DURATION_SYNTAX, problem);
        self.cx.report(found.at(self.span()).help(help));
        None
    }

    /// A part of a whole, or the fact that gives it.
    pub(crate) fn fraction(self) -> Option<Lit<f64>> {
        self.or_fact(|v| {
            let number = match v.plain() {
                Scalar::Integer(0) => 0.0,
                Scalar::Integer(1) => 1.0,
                Scalar::Integer(_) => f64::INFINITY,
                Scalar::Float(f) => f,
                _ => {
                    v.wrong_type(NUMBER);
                    return None;
                }
            };
            if (0.0..=1.0).contains(&number) {
                return Some(v.spanned(number));
            }
            v.out_of_range("a fraction from 0 to 1");
            None
        })
    }

    /// Any value, as JSON.
    pub(crate) fn json(self) -> Option<Spanned<Json>> {
        let value = match self.plain() {
            Scalar::Text(s) => Json::from(s),
            Scalar::Bool(b) => Json::from(b),
            Scalar::Null => Json::Null,
            Scalar::Float(f) => match serde_json::Number::from_f64(f) {
                Some(n) => Json::Number(n),
                None => {
                    self.out_of_range("a finite number");
                    return None;
                }
            },
            Scalar::Integer(n) => match (i64::try_from(n), u64::try_from(n)) {
                (Ok(n), _) => Json::from(n),
                (_, Ok(n)) => Json::from(n),
                _ => {
                    self.out_of_range("a number of at most 64 bits");
                    return None;
                }
            },
        };
        Some(self.spanned(value))
    }

    /// The name of a tier, layer, root or scenario.
    pub(crate) fn name(self) -> Option<Spanned<String>> {
        let name = self.text()?;
        if !is_name(&name.value) {
            let help =
                "names have letters, digits, `_`, `-` and `.`, and do not start with `-` or `.`";
            self.invalid_name(&name.value, false, help);
        }
        Some(name)
    }

    /// The name of a fact, let or part, which templates use as a variable.
    pub(crate) fn variable(self) -> Option<Spanned<String>> {
        let name = self.text()?;
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.value.is_empty()
            || name.value.starts_with(|c: char| c.is_ascii_digit())
            || !name.value.chars().all(inside)
        {
            let help = "templates use it as a variable: letters, digits and `_`, not a digit first";
            self.invalid_name(&name.value, true, help);
        } else if Document::RESERVED.contains(&name.value.as_str()) {
            let message = format!("the name `{}` is taken by templates", name.value);
            let help = format!("choose another one, such as `{}_`", name.value);
            let found = Diagnostic::error(RESERVED_NAME, message);
            self.cx.report(found.at(self.span()).help(help));
        }
        Some(name)
    }

    fn invalid_name(self, name: &str, variable: bool, help: &str) {
        let article = if self.what.starts_with(['a', 'e', 'i', 'o']) {
            "an"
        } else {
            "a"
        };
        let message = format!(
            "`{}` cannot be the name of {article} {}",
            name.escape_debug(),
            self.what
        );
        let mut found = Diagnostic::error(INVALID_NAME, message)
            .at(self.span())
            .help(help);
        let keep = |c: char| c.is_ascii_alphanumeric() || (c == '-' && !variable);
        let fixed: String = name
            .chars()
            .map(|c| if keep(c) { c } else { '_' })
            .collect();
        if fixed.starts_with(|c: char| c.is_ascii_alphabetic()) {
            found = found.suggest(self.span(), fixed);
        }
        self.cx.report(found);
    }
}
