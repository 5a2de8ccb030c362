//! The part of a request that a provider can reuse after a change. Tokens everywhere, counted from the start of the request.

use super::table::{Limits, Match, Provider};

/// A place up to which a request is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CacheBoundary {
    /// Tokens before it.
    pub tokens: u64,
    /// Content blocks before it.
    pub blocks: usize,
}

/// The reusable tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reuse {
    /// So many tokens.
    pub tokens: u64,
    /// Whether it is only known that it is no more.
    pub at_most: bool,
}

/// The reused part of a request that equals an earlier one in its first `same` tokens.
///
/// `written` are the places that the request before it marked, `asked` those of this one, each in order; rules without
/// breakpoints ignore them. For a named resource, its end is the last place of `written`.
#[must_use]
pub fn reuse(
    provider: &Provider,
    limits: Limits,
    written: &[CacheBoundary],
    asked: &[CacheBoundary],
    same: u64,
) -> Reuse {
    let min = limits.min.unwrap_or(0);
    let exact = |tokens| Reuse {
        tokens,
        at_most: false,
    };
    match provider.rule {
        Match::Breakpoint => exact(breakpoint(provider, min, written, asked, same)),
        Match::BlockFloor => exact(block_floor(same, limits.granularity.unwrap_or(1), min)),
        Match::Lcp => exact(lcp(same)),
        Match::OpaquePrefix | Match::Passthrough => opaque_prefix(same, min),
        Match::NamedResource => exact(named_resource(written.last().map(|p| p.tokens), same)),
    }
}

/// The last written place, from `min` tokens on, whose text is the same and that a place of this request finds.
fn breakpoint(
    provider: &Provider,
    min: u64,
    written: &[CacheBoundary],
    asked: &[CacheBoundary],
    same: u64,
) -> u64 {
    let latest = provider.lookback_breakpoints.unwrap_or(usize::MAX);
    let asked = &asked[asked.len().saturating_sub(latest)..];
    let finds = |from: &CacheBoundary, to: &CacheBoundary| {
        let within = |far| from.blocks - to.blocks <= far;
        from.blocks >= to.blocks && provider.lookback_blocks.is_none_or(within)
    };
    let mut usable = written.iter().rev().filter(|place| {
        place.tokens <= same && place.tokens >= min && asked.iter().any(|from| finds(from, place))
    });
    usable.next().map_or(0, |place| place.tokens)
}

/// The whole blocks of `granularity` tokens in what is the same; nothing below the minimum.
fn block_floor(same: u64, granularity: u64, min: u64) -> u64 {
    let whole = same - same % granularity.max(1);
    if whole < min { 0 } else { whole }
}

/// All that is the same.
fn lcp(same: u64) -> u64 {
    same
}

/// At most what is the same; nothing below the minimum.
fn opaque_prefix(same: u64, min: u64) -> Reuse {
    Reuse {
        tokens: if same < min { 0 } else { same },
        at_most: true,
    }
}

/// All of the resource or nothing.
fn named_resource(end: Option<u64>, same: u64) -> u64 {
    end.filter(|end| *end <= same).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    //! Examples of the documents that the rules are from; `docs/providers.md` names them.

    use super::{CacheBoundary, Reuse, reuse};
    use crate::request::provider::{Catalog, Limits, ModelMatch, Provider};
    use jiff::civil::date;

    fn row(name: &str) -> (Provider, Limits) {
        let found = Catalog::default().find(name, date(2026, 11, 21));
        let ModelMatch {
            provider, model, ..
        } = found.unwrap_or_else(|| panic!("no row of {name}"));
        (provider, model.map(|m| m.limits).unwrap_or_default())
    }

    fn places(of: &[(u64, usize)]) -> Vec<CacheBoundary> {
        of.iter()
            .map(|&(tokens, blocks)| CacheBoundary { tokens, blocks })
            .collect()
    }

    fn tokens(name: &str, written: &[(u64, usize)], asked: &[(u64, usize)], same: u64) -> u64 {
        let (provider, limits) = row(name);
        let Reuse { tokens, at_most } =
            reuse(&provider, limits, &places(written), &places(asked), same);
        assert!(!at_most);
        tokens
    }

    #[test]
    fn a_breakpoint_is_read_if_it_was_written_and_the_text_before_it_is_the_same() {
        let marks = [(2_000, 1), (5_000, 2), (9_000, 3)];
        for (same, kept) in [
            (9_000, 9_000),
            (8_999, 5_000),
            (5_000, 5_000),
            (1_999, 0),
            (50_000, 9_000),
        ] {
            assert_eq!(tokens("claude-opus-5-5", &marks, &marks, same), kept);
        }
    }

    #[test]
    fn a_model_caches_nothing_below_its_minimum() {
        // Minimums are not monotone: the newest of these models has the shortest.
        for (model, min) in [
            ("claude-opus-5-5", 512),
            ("claude-opus-4-8", 1_024),
            ("claude-opus-4-7", 2_048),
            ("claude-opus-4-6", 4_096),
        ] {
            let at = |tokens| [(tokens, 1)];
            assert_eq!(tokens(model, &at(min), &at(min), min), min);
            assert_eq!(tokens(model, &at(min - 1), &at(min - 1), min - 1), 0);
        }
    }

    #[test]
    fn a_breakpoint_looks_back_at_most_20_blocks() {
        let written = [(3_000, 1)];
        let asked = |blocks| [(9_000, blocks)];
        assert_eq!(
            tokens("claude-opus-5-5", &written, &asked(21), 3_000),
            3_000
        );
        assert_eq!(tokens("claude-opus-5-5", &written, &asked(22), 3_000), 0);
        // A breakpoint on the cached place finds it, whatever follows.
        let both = [(3_000, 1), (9_000, 22)];
        assert_eq!(tokens("claude-opus-5-5", &written, &both, 3_000), 3_000);
        // OpenAI looks at the latest 80 breakpoints, however many blocks there are.
        assert_eq!(tokens("gpt-6.1-sol", &written, &asked(500), 3_000), 3_000);
    }

    #[test]
    fn openai_before_5_6_caches_1024_tokens_and_then_steps_of_128() {
        for (same, kept) in [
            (1_023, 0),
            (1_024, 1_024),
            (1_151, 1_024),
            (1_152, 1_152),
            (2_006, 1_920),
        ] {
            assert_eq!(tokens("gpt-4o", &[], &[], same), kept);
        }
    }

    #[test]
    fn vllm_caches_whole_blocks_of_16_and_tensorrt_of_32() {
        for (engine, same, kept) in [
            ("vllm/qwen3", 15, 0),
            ("vllm/qwen3", 16, 16),
            ("vllm/qwen3", 47, 32),
            ("tensorrt-llm/llama", 63, 32),
        ] {
            assert_eq!(tokens(engine, &[], &[], same), kept);
        }
    }

    #[test]
    fn llama_cpp_and_sglang_keep_every_token() {
        for same in [0, 1, 17, 12_345] {
            assert_eq!(tokens("llama.cpp/x", &[], &[], same), same);
            assert_eq!(tokens("sglang/x", &[], &[], same), same);
        }
    }

    #[test]
    fn of_an_opaque_rule_only_the_bound_is_known() {
        let (provider, limits) = row("deepseek-v4-pro");
        let kept = reuse(&provider, limits, &[], &[], 700);
        assert_eq!((kept.tokens, kept.at_most), (700, true));
        let (provider, limits) = row("gemini-3.8-flash");
        let kept = reuse(&provider, limits, &[], &[], 4_095);
        assert_eq!((kept.tokens, kept.at_most), (0, true));
    }

    #[test]
    fn a_named_resource_is_cached_whole_or_not_at_all() {
        let (provider, limits) = row("gemini-explicit/gemini-3.8-flash");
        let stored = places(&[(6_000, 1)]);
        let kept = |same| reuse(&provider, limits, &stored, &stored, same).tokens;
        assert_eq!((kept(6_000), kept(5_999), kept(7_000)), (6_000, 0, 6_000));
    }
}
