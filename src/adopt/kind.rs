//! The kind of a value: a date, a time, a path, …

/// The kind of a value, by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Date,
    Time,
    /// A date with a time.
    Moment,
    Number,
    Path,
    Url,
    Weekday,
    Language,
    Locale,
    Zone,
    Email,
    Other,
}

/// Regions that names of time zones begin with.
const REGIONS: &str = " Africa America Antarctica Asia Atlantic Australia Europe Indian Pacific ";
/// Languages, by their English and own names.
const LANGUAGES: &str = " English German French Spanish Italian Portuguese Dutch Danish Swedish Norwegian Finnish Polish Czech \
    Hungarian Greek Turkish Russian Ukrainian Arabic Hebrew Hindi Japanese Korean Chinese Deutsch Englisch Français Español \
    Italiano Português ";
/// Weekdays in other languages than English.
const WEEKDAYS: &str = " montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi \
    dimanche lunes martes miércoles jueves viernes sábado domingo ";

impl Kind {
    /// The name for a value of the kind; empty if the kind gives none.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Time => "time",
            Self::Moment => "now",
            Self::Path => "folder",
            Self::Url => "url",
            Self::Weekday => "weekday",
            Self::Language => "language",
            Self::Locale => "locale",
            Self::Zone => "timezone",
            Self::Email => "email",
            Self::Number | Self::Other => "",
        }
    }

    /// The kind of a whole value.
    pub(super) fn of(value: &str) -> Self {
        if let Some((length, kind)) = moment(value)
            && length == value.len()
        {
            return kind;
        }
        let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '%');
        if value.starts_with(|c: char| c.is_ascii_digit()) && value.chars().all(number) {
            return Self::Number;
        }
        if value.chars().any(char::is_whitespace) {
            return Self::Other;
        }
        let among = |list: &str, word: &str| list.contains(&format!(" {word} "));
        let lower = value.to_lowercase();
        let is_locale =
            |rest: &str| rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_uppercase());
        let of_parts = [
            ('/', Self::Zone),
            ('@', Self::Email),
            ('-', Self::Locale),
            ('_', Self::Locale),
        ];
        for (mark, kind) in of_parts {
            let is = value
                .split_once(mark)
                .is_some_and(|(first, rest)| match kind {
                    Self::Zone => among(REGIONS, first),
                    Self::Email => !first.is_empty() && rest.contains('.'),
                    _ => first.len() == 2 && lower.starts_with(first) && is_locale(rest),
                });
            if is {
                return kind;
            }
        }
        if DAYS.contains(&lower.as_str()) || among(WEEKDAYS, &lower) {
            return Self::Weekday;
        }
        if among(LANGUAGES, value) {
            return Self::Language;
        }
        let drive = value.as_bytes().get(1..3) == Some(b":\\");
        if value.starts_with("http://") || value.starts_with("https://") {
            Self::Url
        } else if drive || value.starts_with("~/") || value.starts_with('/') && value.len() > 1 {
            Self::Path
        } else {
            Self::Other
        }
    }
}

/// The kind that all values have.
pub(super) fn common_kind(values: &[&str]) -> Kind {
    let mut kinds = values.iter().map(|v| Kind::of(v));
    let first = kinds.next().unwrap_or(Kind::Other);
    if kinds.all(|k| k == first) {
        first
    } else {
        Kind::Other
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The date or time that `text` begins with: its length in bytes, and which of them it is.
pub(super) fn moment(text: &str) -> Option<(usize, Kind)> {
    let mut reader = Reader { text, at: 0 };
    if reader.date().is_some() {
        let date = reader.at;
        let _ = reader.date_time_gap();
        return match reader.time() {
            Some(()) => Some((reader.ended()?, Kind::Moment)),
            None => {
                reader.at = date;
                Some((reader.ended()?, Kind::Date))
            }
        };
    }
    reader.at = 0;
    reader.time()?;
    Some((reader.ended()?, Kind::Time))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Its position, unless inside a word.
    fn ended(&self) -> Option<usize> {
        let goes_on = |c: char| c.is_alphanumeric() || c == '_';
        (!self.rest().starts_with(goes_on)).then_some(self.at)
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.rest().starts_with(word).then(|| self.at += word.len())
    }

    fn any(&mut self, words: &[&str]) -> Option<()> {
        words.iter().find_map(|w| self.take(w))
    }

    /// A number of so many digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<()> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        (least..=most).contains(&count).then(|| self.at += count)
    }

    /// One of some names, or the first three or four letters of it.
    fn name(&mut self, names: &[&str]) -> Option<()> {
        let length = self
            .rest()
            .bytes()
            .take_while(u8::is_ascii_alphabetic)
            .count();
        let word = self.rest()[..length].to_ascii_lowercase();
        let is =
            |name: &&&str| **name == word || (3..=4).contains(&length) && name.starts_with(&word);
        names.iter().find(is).map(|_| self.at += length)
    }

    /// Goes back if `read` finds nothing.
    fn attempt(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let at = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = at;
        }
        found
    }

    /// A date, after the weekday if there is one.
    fn date(&mut self) -> Option<()> {
        self.attempt(|r| {
            r.name(&DAYS)?;
            r.any(&[", ", ". ", " "])?;
            r.day()
        })
        .or_else(|| self.day())
    }

    fn day(&mut self) -> Option<()> {
        self.attempt(|r| {
            r.digits(4, 4)?;
            let between = r.separator()?;
            r.digits(1, 2)?;
            r.take(between)?;
            r.digits(1, 2)
        })
        .or_else(|| {
            self.attempt(|r| {
                r.digits(1, 2)?;
                let between = r.separator()?;
                r.digits(1, 2)?;
                r.take(between)?;
                r.digits(4, 4)
            })
        })
        .or_else(|| self.attempt(Self::month_first))
        .or_else(|| self.attempt(Self::day_first))
    }

    fn separator(&mut self) -> Option<&'static str> {
        ["-", "/", "."].into_iter().find(|s| self.take(s).is_some())
    }

    /// `March 30, 2026`.
    fn month_first(&mut self) -> Option<()> {
        self.name(&MONTHS)?;
        self.any(&[". ", " "])?;
        self.digits(1, 2)?;
        let _ = self.any(&["st", "nd", "rd", "th"]);
        self.year()
    }

    /// The year after a day, if there is one.
    fn year(&mut self) -> Option<()> {
        let _ = self.attempt(|r| {
            r.any(&[", ", ". ", " "])?;
            r.digits(4, 4)
        });
        Some(())
    }

    /// `30 March 2026`.
    fn day_first(&mut self) -> Option<()> {
        self.digits(1, 2)?;
        let _ = self.any(&["st", "nd", "rd", "th", "."]);
        self.take(" ")?;
        self.name(&MONTHS)?;
        self.year()
    }

    fn date_time_gap(&mut self) -> Option<()> {
        self.any(&["T", ", at ", " at ", ", ", " "])
    }

    /// `9:05`, `09:05:00.5 PM`, `09:05+01:00`.
    fn time(&mut self) -> Option<()> {
        self.attempt(|r| {
            r.digits(1, 2)?;
            r.take(":")?;
            r.digits(2, 2)?;
            let _ = r.attempt(|r| {
                r.take(":")?;
                r.digits(2, 2)
            });
            let _ = r.attempt(|r| {
                r.take(".")?;
                r.digits(1, 9)
            });
            let _ = r.attempt(|r| {
                let _ = r.take(" ");
                r.any(&["AM", "PM", "am", "pm", "a.m.", "p.m."])
            });
            let _ = r.attempt(Self::zone);
            Some(())
        })
    }

    fn zone(&mut self) -> Option<()> {
        let _ = self.take(" ");
        if self
            .any(&["UTC", "GMT", "Z", "CEST", "CET", "EST", "EDT", "PST", "PDT"])
            .is_some()
        {
            return self.ended().map(|_| ());
        }
        self.any(&["+", "-"])?;
        self.digits(2, 2)
            .map(|()| {
                let _ = self.take(":");
                let _ = self.digits(2, 2);
            })
            .or_else(|| self.digits(4, 4))
    }
}

#[cfg(test)]
mod tests {
    use super::Kind::{
        self, Date, Email, Language, Locale, Moment, Number, Other, Path, Time, Url, Weekday, Zone,
    };

    #[test]
    fn values_are_recognized_by_their_form() {
        let all: &[(&str, Kind)] = &[
            ("2026-03-30", Date),
            ("3/30/2026", Date),
            ("30.03.2026", Date),
            ("Monday, March 30, 2026", Date),
            ("Mon 30 Mar 2026", Date),
            ("30th March 2026", Date),
            ("09:05", Time),
            ("9:05 AM", Time),
            ("09:05:00.123+0100", Time),
            ("2026-03-30T09:05:00Z", Moment),
            ("2026-03-30 09:05 UTC", Moment),
            ("March 30, 2026 at 9:05 PM", Moment),
            ("12", Number),
            ("1,204.5", Number),
            ("/srv/app", Path),
            ("~/notes", Path),
            ("C:\\work", Path),
            ("https://example.org/a", Url),
            ("Friday", Weekday),
            ("Deutsch", Language),
            ("de-DE", Locale),
            ("Europe/Berlin", Zone),
            ("a@b.example", Email),
            ("2026-03-30x", Other),
            ("May", Other),
            ("/", Other),
            ("a b", Other),
            ("", Other),
        ];
        for (value, kind) in all {
            assert_eq!(Kind::of(value), *kind, "{value}");
        }
    }
}
