//! The data of litellm about one model.

use crate::request::provider::amount::{Price, Times};
use crate::request::provider::table::{Above, Multiplier, Prices, Term};
use jiff::civil::Date;
use serde_json::{Map, Value};

/// The lengths of prompts from which its prices may differ, in thousands of tokens.
const STEPS: [u64; 5] = [100, 128, 200, 272, 512];

/// The highest price of a written token that is believed, as a multiple of the price of the input.
const HIGHEST_WRITE: f64 = 10.0;

/// The longest shortest prefix that is believed, in tokens.
const HIGHEST_MIN: f64 = 1e6;

/// What litellm adds to the name of a price, and the values of `service_tier` that it is for. OpenAI calls priority `fast` too; Gemini's
/// usage has longer words.
const TIERS: [(&str, &[&str]); 4] = [
    ("batches", &["batch"]),
    ("flex", &["flex", "on_demand_flex"]),
    ("priority", &["priority", "fast", "on_demand_priority"]),
    ("ultrafast", &["ultrafast"]),
];

/// The members of `provider_specific_entry` that multiply all prices.
const FACTORS: [(&str, Term); 2] = [("fast", Term::Speed), ("us", Term::InferenceGeo)];

/// The data of litellm about one model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// A token of the input.
    pub(super) input: Price,
    /// A token that is read from the cache, as a multiple of that.
    pub(super) read: Option<Times>,
    /// The multiple where the caller marks the cached text, if it differs.
    pub(super) read_marked: Option<Times>,
    /// A token of the output.
    pub(super) output: Option<Price>,
    /// Tokens that are written, as multiples of it.
    pub(super) writes: Writes,
    /// The shortest prefix that is cached, in tokens.
    pub(super) min: Option<u64>,
    /// Prices of longer requests.
    pub(super) above: Vec<Above>,
    /// What changes its prices.
    pub(super) multipliers: Vec<Multiplier>,
    /// The day on which it retires.
    pub(super) until: Option<Date>,
}

/// The prices of a written token, by its time to live.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Writes {
    /// If nothing is said.
    pub(super) shortest: Option<Times>,
    /// For an hour.
    pub(super) hour: Option<Times>,
    /// For twelve.
    pub(super) half_day: Option<Times>,
}

/// An object of the file, by the names of its members.
#[derive(Clone, Copy)]
struct Facts<'a>(&'a Map<String, Value>);

/// Reads the object of a model; `None` if it has no price by the token.
///
/// # Errors
/// Says what in it cannot be.
pub(super) fn read(object: &Map<String, Value>) -> Result<Option<Entry>, String> {
    let facts = Facts(object);
    let Some(dollars) = facts.number("input_cost_per_token")? else {
        return Ok(None);
    };
    let input = price("input_cost_per_token", dollars)?;
    let read = |field| facts.read(field, dollars);
    let mut entry = Entry {
        input,
        read: read("cache_read_input_token_cost")?,
        read_marked: read("explicit_cache_read_input_token_cost")?,
        output: facts.output("output_cost_per_token")?,
        writes: facts.writes(dollars)?,
        min: facts.min()?,
        above: Vec::new(),
        multipliers: facts.factors(),
        until: facts
            .word("deprecation_date")
            .and_then(|day| day.parse().ok()),
    };
    for (name, values) in TIERS {
        let tier = facts.tier(name, values, dollars)?;
        entry.multipliers.extend(tier);
    }
    for thousands in STEPS {
        entry.above.extend(facts.above(thousands, dollars, &entry)?);
    }
    Ok(Some(entry))
}

impl Facts<'_> {
    fn word(&self, field: &str) -> Option<&str> {
        self.0.get(field)?.as_str()
    }

    fn factors(self) -> Vec<Multiplier> {
        let own = self.0.get("provider_specific_entry");
        let factor = |(name, term): &(&str, Term)| {
            let factor = Times::new(own?.get(name)?.as_f64()?)?;
            Some(multiplier(*term, &[name], factor))
        };
        FACTORS.iter().filter_map(factor).collect()
    }

    /// The multiplier of a tier. None if it has no prices, or other multiples for the input and for the output.
    fn tier(self, name: &str, values: &[&str], dollars: f64) -> Result<Option<Multiplier>, String> {
        let times = |field: &str, base: f64| {
            let price = self.number(&format!("{field}_{name}"))?;
            Ok::<_, String>(price.and_then(|price| Times::new(price / base)))
        };
        let input = times("input_cost_per_token", dollars)?;
        let Some(factor) = input.filter(|factor| factor.value() > 0.0) else {
            return Ok(None);
        };
        let mut out = multiplier(Term::ServiceTier, values, factor);
        if let Some(base) = self.number("output_cost_per_token")?
            && times("output_cost_per_token", base)?.is_some_and(|times| times != factor)
        {
            return Ok(None);
        }
        if let Some(base) = self.number("cache_read_input_token_cost")? {
            out.read = times("cache_read_input_token_cost", base)?.filter(|read| *read != factor);
        }
        Ok(Some(out))
    }

    /// A member that is a number. Integers are written as floats here and there.
    fn number(self, field: &str) -> Result<Option<f64>, String> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64().filter(|n| n.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => Err(format!("`{field}` is not a number")),
            },
        }
    }

    fn read(self, field: &str, input: f64) -> Result<Option<Times>, String> {
        let Some(read) = self.number(field)? else {
            return Ok(None);
        };
        let times = Times::new(read / input).filter(|times| *times <= Times::ONE);
        match times {
            Some(times) => Ok(Some(times)),
            None => Err(format!(
                "`{field}` is below 0 or above the price of the input"
            )),
        }
    }

    fn output(self, field: &str) -> Result<Option<Price>, String> {
        match self.number(field)? {
            // Zero is its price both of models without a known price and of those that are free.
            None | Some(0.0) => Ok(None),
            Some(dollars) => price(field, dollars).map(Some),
        }
    }

    fn writes(self, input: f64) -> Result<Writes, String> {
        let write = |field: &str| match self.number(field)? {
            // Where nothing is taken for it, a token that is written costs what any other does.
            None | Some(0.0) => Ok(None),
            Some(write) => {
                let times = write / input;
                match Times::new(times).filter(|_| times > 0.0 && times <= HIGHEST_WRITE) {
                    Some(times) => Ok(Some(times)),
                    None => Err(format!(
                        "`{field}` is below 0 or above {HIGHEST_WRITE} times the price of the input"
                    )),
                }
            }
        };
        Ok(Writes {
            shortest: write("cache_creation_input_token_cost")?,
            hour: write("cache_creation_input_token_cost_above_1hr")?,
            half_day: write("cache_creation_input_token_cost_above_12hr")?,
        })
    }

    fn min(self) -> Result<Option<u64>, String> {
        let field = "prompt_cache_min_tokens";
        match self.number(field)? {
            None | Some(0.0) => Ok(None),
            // In range and whole, so the conversion is exact.
            Some(n) if (1.0..=HIGHEST_MIN).contains(&n) && n.fract() == 0.0 => Ok(Some(n as u64)),
            Some(_) => Err(format!("`{field}` is not a whole number up to a million")),
        }
    }

    /// The prices from a length on. Omitted ones are those of shorter requests.
    fn above(
        self,
        thousands: u64,
        dollars_below: f64,
        below: &Entry,
    ) -> Result<Option<Above>, String> {
        let input_field = format!("input_cost_per_token_above_{thousands}k_tokens");
        let read_field = format!("cache_read_input_token_cost_above_{thousands}k_tokens");
        let output_field = format!("output_cost_per_token_above_{thousands}k_tokens");
        let dollars = self.number(&input_field)?;
        let output = self.output(&output_field)?;
        if dollars.is_none() && output.is_none() && self.number(&read_field)?.is_none() {
            return Ok(None);
        }
        let dollars = dollars.unwrap_or(dollars_below);
        let input = price(&input_field, dollars)?;
        let read = self.read(&read_field, dollars)?.or(below.read);
        Ok(Some(Above {
            tokens: thousands * 1000,
            prices: Prices {
                input,
                read: read.unwrap_or(Times::ONE),
                output: output.or(below.output),
            },
        }))
    }
}

fn multiplier(term: Term, values: &[&str], factor: Times) -> Multiplier {
    Multiplier {
        term,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        factor,
        read: None,
        write_as_read: false,
    }
}

/// A price of one token, in dollars.
fn price(field: &str, dollars: f64) -> Result<Price, String> {
    Price::per_million(dollars * 1e6).ok_or_else(|| {
        let highest = Price::HIGHEST;
        format!("`{field}` is not above 0 and at most {highest} dollars for a million tokens")
    })
}
