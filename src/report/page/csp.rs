//! The permissions of a page: it runs its own script and uses its own style, and nothing else. It can reach no other file and no
//! network.

use sha2::{Digest as _, Sha256};

/// The style and the script of a page.
pub(super) struct Parts {
    pub(super) style: &'static str,
    pub(super) script: &'static str,
}

/// The style and the script of every page.
pub(super) const PAGE: Parts = Parts {
    style: include_str!("page.css"),
    script: include_str!("page.js"),
};

/// The style and the script of a usage page.
pub(super) const USAGE: Parts = Parts {
    style: concat!(include_str!("page.css"), include_str!("usage/usage.css")),
    script: concat!(include_str!("page.js"), include_str!("usage/usage.js")),
};

/// The policy, as a page writes it. A browser runs a script or applies a style only if it has one of these hashes, so what
/// a prompt says could not run even if it were markup.
pub(super) fn csp(parts: &Parts) -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(parts.script),
        hash(parts.style)
    )
}

/// `sha256-` and the hash in Base64 (RFC 4648), as Content Security Policy Level 3 wants it.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text)))
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place > group.len() {
                '='
            } else {
                char::from(sign)
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{PAGE, USAGE, base64};

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let all = texts.map(|text| base64(text.as_bytes()));
        let told = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        assert_eq!(all, told);
    }

    #[test]
    fn style_and_script_end_nowhere_but_at_their_end() {
        for text in [PAGE.style, PAGE.script, USAGE.style, USAGE.script] {
            assert!(!text.contains("</") && !text.contains("<!--") && !text.contains('\r'));
        }
    }
}
