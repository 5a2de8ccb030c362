//! Money and multiples of prices, as whole numbers: sums are exact and the same everywhere.

use crate::text::measure::thousands;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::ops::{Add, Div, Mul, Sub};

/// The price of a million tokens, in millionths of a US dollar; also that of one token, in millionths of a millionth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "f64")]
#[schemars(inline, with = "f64")]
pub struct Price(u64);

impl Price {
    /// The highest price that is believed, in US dollars for a million tokens. The most expensive model of 2025 took 150.
    pub const HIGHEST: f64 = 10_000.0;

    /// So many US dollars for a million tokens, to the nearest millionth; `None` unless more than nothing and at most
    /// [`Price::HIGHEST`].
    #[must_use]
    pub fn per_million(dollars: f64) -> Option<Self> {
        let millionths = (dollars * 1e6).round();
        // In range, so the conversion is exact.
        (1.0..=Self::HIGHEST * 1e6)
            .contains(&millionths)
            .then_some(Self(millionths as u64))
    }

    /// The price in US dollars for a million tokens.
    #[must_use]
    pub fn dollars_per_million(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// A multiple of this price, to the nearest millionth.
    #[must_use]
    pub fn times(self, times: Times) -> Self {
        let one = u128::from(Times::ONE.0.unsigned_abs());
        // A multiple of a price is not below nothing.
        let product = u128::from(self.0) * u128::from(times.0.max(0).unsigned_abs());
        Self(u64::try_from((product + one / 2) / one).unwrap_or(u64::MAX))
    }

    /// The cost of so many tokens at a multiple of this price.
    #[must_use]
    pub fn of(self, tokens: u64, times: Times) -> Usd {
        Usd(i128::from(tokens) * i128::from(self.0) * i128::from(times.0))
    }
}

/// A multiple of a price, in millionths. Differences can be less than nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "f64")]
#[schemars(inline, with = "f64")]
pub struct Times(i64);

impl Times {
    /// Once.
    pub const ONE: Self = Self(1_000_000);

    /// The highest multiple that is believed.
    pub const HIGHEST: f64 = 100.0;

    /// A multiple, to the nearest millionth; `None` if it is below nothing or above [`Times::HIGHEST`].
    #[must_use]
    pub fn new(times: f64) -> Option<Self> {
        let millionths = (times * 1e6).round();
        (0.0..=Self::HIGHEST * 1e6)
            .contains(&millionths)
            .then_some(Self(millionths as i64))
    }

    /// The multiple as a number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl From<Price> for f64 {
    fn from(price: Price) -> Self {
        price.dollars_per_million()
    }
}

impl From<Times> for f64 {
    fn from(times: Times) -> Self {
        times.value()
    }
}

impl From<Usd> for f64 {
    fn from(usd: Usd) -> Self {
        usd.value()
    }
}

impl Sub for Times {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// US dollars, in units of 10^-18: what a token costs at a multiple of a price is a whole number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema)]
#[serde(into = "f64")]
#[schemars(inline, with = "f64")]
pub struct Usd(i128);

impl Usd {
    const ONE: i128 = 1_000_000_000_000_000_000;

    /// The amount as a number, for programs.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0 as f64 / Self::ONE as f64
    }

    /// The amount with all of its 18 digits after the point.
    #[must_use]
    pub fn exact(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (atoms, one) = (self.0.unsigned_abs(), Self::ONE.unsigned_abs());
        format!("{sign}{}.{:018}", atoms / one, atoms % one)
    }

    /// Reads an amount that [`Usd::exact`] wrote. None if it is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // Sums of many of them fit.
        const MOST_DIGITS: usize = 12;
        let (dollars, part) = digits.split_once('.')?;
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if part.len() != 18
            || !(1..=MOST_DIGITS).contains(&dollars.len())
            || !is_number(dollars)
            || !is_number(part)
        {
            return None;
        }
        let dollars = dollars.parse::<i128>().ok()?.checked_mul(Self::ONE)?;
        let atoms = dollars.checked_add(part.parse().ok()?)?;
        Some(Self(if negative { -atoms } else { atoms }))
    }

    /// The amount of a number, for display.
    #[must_use]
    pub fn near(dollars: f64) -> Self {
        // A number that is too large, or not a number, becomes the nearest amount, or nothing.
        Self((dollars * Self::ONE as f64) as i128)
    }
}

/// Dollars as a text with 18 digits after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, JsonSchema)]
#[schemars(inline, with = "String")]
pub struct Amount(pub Usd);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0.exact())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let amount = Usd::read(&text).map(Self);
        amount
            .ok_or_else(|| de::Error::custom("an amount is a text with 18 digits after the point"))
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Usd {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Usd {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(i128::from(times)))
    }
}

impl Div<u64> for Usd {
    type Output = Self;

    /// A share, rounded towards nothing.
    ///
    /// # Panics
    /// If it is divided by nothing.
    fn div(self, parts: u64) -> Self {
        Self(self.0 / i128::from(parts))
    }
}

impl fmt::Display for Usd {
    /// Two digits after the point from a dollar on; below that two significant ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let atoms = self.0.unsigned_abs();
        let one = Self::ONE.unsigned_abs();
        let mut digits = 2;
        let mut unit = one / 100;
        while atoms != 0 && atoms < unit * 10 && digits < 12 {
            digits += 1;
            unit /= 10;
        }
        let rounded = (atoms + unit / 2) / unit;
        let whole = 10_u128.pow(digits);
        let (dollars, part) = (rounded / whole, rounded % whole);
        let places = digits as usize;
        let dollars = thousands(&dollars.to_string());
        write!(f, "{sign}${dollars}.{part:0places$}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Price, Times, Usd};

    fn cost(price: f64, tokens: u64, times: f64) -> Usd {
        let price = Price::per_million(price).unwrap();
        price.of(tokens, Times::new(times).unwrap())
    }

    #[test]
    fn money_is_shown_with_two_digits_that_count() {
        let shown = |price, tokens, times| cost(price, tokens, times).to_string();
        assert_eq!(shown(5.0, 1_000_000, 1.25), "$6.25");
        assert_eq!(shown(5.0, 30_000, 1.15), "$0.17");
        assert_eq!(shown(0.66, 100, 0.0333), "$0.0000022");
        assert_eq!(shown(2.0, 1_000, 0.05), "$0.00010");
        assert_eq!(shown(5.0, 900_000_000, 1.0), "$4,500.00");
        assert_eq!(shown(2.0, 0, 0.05), "$0.00");
        assert_eq!(shown(2.0, 49_999, 1.0), "$0.100");
    }

    #[test]
    fn impossible_amounts_are_refused() {
        assert_eq!(Price::per_million(0.0), None);
        assert_eq!(Price::per_million(f64::NAN), None);
        assert_eq!(Price::per_million(1e9), None);
        assert_eq!(Times::new(-0.1), None);
        assert_eq!(Times::new(f64::INFINITY), None);
    }
}
