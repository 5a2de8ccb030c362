//! A part of a text around the place in which it differs from another.

/// The displayed part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Passage {
    /// The part that is shown.
    pub(crate) text: String,
    /// The bytes before it.
    pub(crate) before: usize,
    /// The bytes after it.
    pub(crate) after: usize,
    /// Where in the part the first difference is; none of a text that is alone.
    pub(crate) at: Option<usize>,
}

impl Passage {
    /// At most so many bytes of it, around the first difference.
    pub(crate) fn cut(&self, most: usize) -> Self {
        let inner = passage(&self.text, self.at, most);
        Self {
            before: self.before + inner.before,
            after: self.after + inner.after,
            ..inner
        }
    }
}

/// The passages of two texts, or of one alone: at most so many bytes around the first difference.
pub(crate) fn passages(old: Option<&str>, new: Option<&str>, most: usize) -> [Option<Passage>; 2] {
    let at = old.zip(new).map(|(old, new)| {
        let pairs = old.bytes().zip(new.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    });
    [old, new].map(|text| text.map(|text| passage(text, at, most)))
}

fn passage(text: &str, at: Option<usize>, most: usize) -> Passage {
    let at = at.map(|at| text.floor_char_boundary(at));
    let mut range = 0..text.len();
    if text.len() > most {
        // More text after the difference than before it; from the start of a line, if there is one.
        let front = at.unwrap_or_default();
        let from = front.saturating_sub(most / 4).min(text.len() - most);
        // Never further back: the end would fall short of the difference.
        let from = text.ceil_char_boundary(from);
        let line = text[from..front.max(from)].find('\n').filter(|_| from > 0);
        range.start = line.map_or(from, |line| from + line + 1);
        range.end = text.floor_char_boundary((range.start + most).min(text.len()));
    }
    Passage {
        before: range.start,
        after: text.len() - range.end,
        at: at.map(|at| at - range.start),
        text: text[range].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::passages;
    use proptest::prelude::*;

    #[test]
    fn a_difference_at_the_end_is_shown_when_a_wide_letter_is_in_the_way() {
        let text = "é\naaa\n\nééééaaaaaaé\n\n\n";
        let passage = passages(Some(text), Some(text), 26)[0].clone().unwrap();
        assert_eq!((passage.before, passage.after), (3, 0));
        assert_eq!(passage.at, Some(passage.text.len()));
    }

    proptest! {
        #[test]
        fn a_passage_holds_the_first_difference(
            front in "[aé\n]{0,40}", old in "[bé\n]{0,40}", new in "[cé\n]{0,40}", most in 4_usize..60
        ) {
            let texts = [format!("{front}{old}"), format!("{front}{new}")];
            let both = passages(Some(&texts[0]), Some(&texts[1]), most);
            for (text, passage) in texts.iter().zip(both) {
                let passage = passage.unwrap();
                let whole = passage.before..text.len() - passage.after;
                prop_assert_eq!(&text[whole], &passage.text);
                prop_assert!(passage.text.len() <= most);
                prop_assert!(passage.at.unwrap() <= passage.text.len());
                prop_assert!(text.len() > most || passage.before + passage.after == 0);
                let less = passage.cut(most / 2);
                prop_assert_eq!(&text[less.before..text.len() - less.after], &less.text);
                prop_assert!(less.text.len() <= most / 2 && less.at.unwrap() <= less.text.len());
            }
        }
    }
}
