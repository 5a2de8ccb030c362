//! Chance, and texts that no other text is like.

/// A seeded source of choices and of fresh texts.
pub(super) struct Ink {
    state: u64,
    next: u32,
}

const WORDS: &[&str] = &[
    "amber", "brook", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "junco",
    "kelp", "larch", "moss", "nettle", "otter", "pine", "quail", "reed", "sedge", "thorn",
];

impl Ink {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            next: 0,
        }
    }

    /// Other choices than these, and texts that these did not have.
    pub(super) fn branch(&self, seed: u64) -> Self {
        Self {
            state: seed ^ 0x5bd1_e995_0000_0000,
            next: self.next,
        }
    }

    fn step(&mut self) -> u64 {
        // SplitMix64: its steps are independent enough even for seeds that follow each other.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.step() >> 33).unwrap() % n
    }

    /// True in `n` of 100 cases.
    pub(super) fn odds(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    pub(super) fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// One of these, if there are any.
    pub(super) fn maybe<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| self.of(items))
    }

    /// A number that was not given before.
    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// A word whose first and last characters occur in no other.
    pub(super) fn word(&mut self) -> String {
        let n = self.fresh();
        let (first, last) = (
            char::from_u32(0x4e00 + n).unwrap(),
            char::from_u32(0x7000 + n).unwrap(),
        );
        format!("{first}{}{n}{last}", self.of(WORDS))
    }

    /// A text of one or several lines; its first and last characters occur in no other.
    pub(super) fn text(&mut self) -> String {
        let mut out = self.word();
        for _ in 0..2 + self.below(5) {
            let space = [" ", " ", " ", " ", "\n", "\n\n"];
            out.push_str(self.of(&space));
            out.push_str(self.of(WORDS));
        }
        format!("{out} {}", self.word())
    }

    /// The same on one line.
    pub(super) fn line(&mut self) -> String {
        format!("{} {} {}", self.word(), self.of(WORDS), self.word())
    }
}
