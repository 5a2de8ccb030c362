//! The prices of tokens: the table as it was read on 2026-11-26, in whole numbers of 10^-18 dollars.

use crate::parts::Request;

/// Whole numbers of 10^-18 dollars.
pub(crate) type Amount = i128;

/// An amount as the program writes it, or shorter. Nothing else is one.
pub(crate) fn amount(text: &str) -> Amount {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    assert!(part.len() <= 18, "`{text}` has more than 18 digits");
    match format!("{whole}{part:0<18}").parse::<Amount>() {
        Ok(n) if digits.len() < text.len() => -n,
        Ok(n) => n,
        Err(_) => panic!("`{text}` is no amount"),
    }
}

/// An amount for who reads it.
pub(crate) fn dollars(n: Amount) -> String {
    let (sign, n) = if n < 0 { ("-", -n) } else { ("", n) };
    let one = 1_000_000_000_000_000_000;
    let text = format!("{sign}{}.{:018}", n / one, n % one);
    let short = text.trim_end_matches('0');
    short.strip_suffix('.').unwrap_or(short).to_owned()
}

/// The prices and the caching of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Price {
    /// A token of the input, in 10^-18 dollars.
    input: Amount,
    /// Multiples of that, in ten thousandths.
    read: Amount,
    write_5m: Amount,
    write_1h: Amount,
    /// That of the shortest time.
    write_other: Amount,
    /// The shortest prefix that is kept.
    pub(crate) minimum: u64,
}

/// The rows of the table that the traffic needs: dollars for a billion tokens, multiples in ten thousandths, the minimum.
const TABLE: &[(&str, Amount, Amount, [Amount; 3], u64)] = &[
    ("claude-opus-5-5", 4000, 500, CLAUDE, 512),
    ("claude-sonnet-5-5", 2000, 500, CLAUDE, 512),
    ("claude-opus-4-8", 5000, 1000, CLAUDE, 1024),
    ("claude-sonnet-4-6", 3000, 1000, CLAUDE, 1024),
    ("claude-fable-5-2", 8000, 250, CLAUDE, 512),
    ("anthropic.claude-opus-5-5", 4000, 500, CLAUDE, 512),
    ("us.anthropic.claude-opus-5-5", 4400, 500, CLAUDE, 512),
    ("gpt-6.1-sol", 2000, 500, HALF, 1024),
    ("gpt-5.5", 5000, 1000, FREE, 1024),
    ("gpt-5.4-mini", 750, 1000, FREE, 1024),
    ("gpt-4.1", 2000, 2500, FREE, 1024),
    ("gpt-4o", 2500, 5000, FREE, 1024),
    ("gpt-4.1-mini", 400, 2500, FREE, 1024),
    ("gpt-5", 1250, 1000, FREE, 1024),
    ("gpt-5-mini", 250, 1000, FREE, 1024),
    ("gpt-5-nano", 50, 1000, FREE, 1024),
    ("deepseek-v4-pro", 660, 333, FREE, 1),
    // `doing/*/harbour.kdl`.
    ("harbour/pilot-1", 1000, 1000, FREE, 64),
];
const CLAUDE: [Amount; 3] = [12_500, 20_000, 12_500];
const HALF: [Amount; 3] = [12_500; 3];
const FREE: [Amount; 3] = [10_000; 3];

/// The models that are twice as expensive in fast mode, read on 2026-11-28; others do not have it.
const FAST: [&str; 3] = ["claude-opus-5-5", "claude-opus-4-8", "claude-fable-5-2"];

/// How many times all prices of a request count.
pub(crate) fn times(request: &Request) -> Amount {
    if request.is_fast() && FAST.contains(&request.model) {
        2
    } else {
        1
    }
}

/// The price of a request of the traffic.
pub(crate) fn price_of(request: &Request) -> Price {
    let price = price(request.model);
    Price {
        input: price.input * times(request),
        ..price
    }
}

/// The price of a model of the traffic.
pub(crate) fn price(model: &str) -> Price {
    match TABLE.iter().find(|r| r.0 == model) {
        Some((_, input, read, [write_5m, write_1h, write_other], minimum)) => Price {
            input: input * 1_000_000_000,
            read: *read,
            write_5m: *write_5m,
            write_1h: *write_1h,
            write_other: *write_other,
            minimum: *minimum,
        },
        None => panic!("`{model}` has no price here"),
    }
}

impl Price {
    /// A token of a bucket of the input, by its place in `BUCKETS`.
    pub(crate) fn token(&self, bucket: usize) -> Amount {
        let times = match bucket {
            0 => 10_000,
            1 => self.read,
            2 => self.write_5m,
            3 => self.write_1h,
            _ => self.write_other,
        };
        self.input * times / 10_000
    }
}

/// The price of a token of the answer, if the table has it: `output=` of the row of the model.
pub(crate) fn output(model: &str) -> Option<Amount> {
    let table = include_str!("../../layers/providers.kdl");
    let mut mine = false;
    for line in table.lines() {
        if let Some(rest) = line.strip_prefix("model ") {
            let names = rest.split(" provider=").next().unwrap_or("");
            mine = names.split(' ').any(|n| fits(n.trim_matches('"'), model));
        }
        let price = line.trim_start().strip_prefix("price ");
        if let Some(price) = price.filter(|_| mine) {
            let said = price.split(' ').find_map(|w| w.strip_prefix("output="));
            return said.map(|n| amount(n) / 1_000_000);
        }
    }
    None
}

/// Whether a pattern of the table matches this model. `*` at an end matches any characters.
fn fits(pattern: &str, model: &str) -> bool {
    let start = pattern.strip_suffix('*').unwrap_or(pattern);
    match start.strip_prefix('*') {
        Some(middle) => model.contains(middle),
        None => start == model || (start.len() < pattern.len() && model.starts_with(start)),
    }
}

#[test]
fn amounts_are_exact() {
    assert_eq!(amount("0.200560000000000000"), 200_560_000_000_000_000);
    assert_eq!(amount("-1"), -1_000_000_000_000_000_000);
    assert_eq!(dollars(amount("0.01360")), "0.0136");
    assert_eq!(dollars(amount("-2")), "-2");
    let opus = price("claude-opus-5-5");
    // $4 for a million: 4e-6 fresh, 2e-7 read, 5e-6 for five minutes, 8e-6 for an hour.
    let all: Vec<_> = (0..5).map(|b| dollars(opus.token(b))).collect();
    assert_eq!(
        all,
        ["0.000004", "0.0000002", "0.000005", "0.000008", "0.000005"]
    );
}
