//! Patterns of dates and times of day, in lower case.

/// A time of day.
macro_rules! clock {
    () => {
        r"(?:[01]?\d|2[0-3])(?:[:h][0-5]\d)(?::[0-5]\d(?:[.,]\d{1,9})?)?(?: ?(?:am|pm|a\.m\.|p\.m\.)\b| ?uhr\b|z\b| ?utc\b| ?gmt\b)?"
    };
}

/// The name of a weekday, with what joins it to the date.
macro_rules! weekday {
    () => {
        r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b"
    };
}

/// The name of a month.
macro_rules! month {
    () => {
        r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|mar(?:ch|s|zo)?|märz|apr(?:il)?|avril|abril|may|mai|mayo|june?|juni|juin|junio|july?|juli|juillet|julio|aug(?:ust)?|août|agosto|sep(?:t(?:ember)?)?|septembre|septiembre|oct(?:ober)?|okt(?:ober)?|octobre|octubre|nov(?:ember)?|novembre|noviembre|dec(?:ember)?|dez(?:ember)?|décembre|diciembre|enero|febrero|février)\b\.?"
    };
}

/// A whole date: day, month and year.
macro_rules! date {
    () => {
        concat!(
            r"(?:",
            crate::check::dates::weekday!(),
            r"\.?,?(?: the| der| den| le| el)? )?(?:\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\b\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d\d)\b|\b",
            crate::check::dates::month!(),
            r" \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\b\d{1,2}(?:st|nd|rd|th|\.)?(?: de| of)? ",
            crate::check::dates::month!(),
            r",?(?: de)? \d{4}|\b\d{4}年\d{1,2}月\d{1,2}日)"
        )
    };
}

/// The characters that may be between a label and its value.
macro_rules! gap {
    () => {
        "(?:[ \t*_\"'`<>|:=(\\[,-]|–|—|’)*"
    };
}

pub(super) use {clock, date, gap, month, weekday};
