//! The names that programs can use.

/// The names that a program can use besides facts and lets, by its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visible<'a> {
    /// A `let`: facts and earlier lets, no sources.
    Let,
    /// A `when`, or a template that is a member of a group.
    Plain,
    /// `where`, `hide`, `wrap`: one document's attributes.
    Document,
    /// A placeholder: a document's attributes and what was found.
    Placeholder,
    /// A marker: a document's attributes and the sizes of the cut.
    Marker,
    /// The template of a reminder: what has changed. No layer is loaded then, and no source is looked at.
    Reminder,
    /// A marker of a reminder's budget.
    ReminderMarker,
    /// A layer's template: these parts, and its text and documents if it has content.
    Layer {
        /// The names of its parts.
        parts: &'a [String],
        /// Whether it has content.
        content: bool,
        /// Whether a memory in its content says a capacity.
        capacity: bool,
    },
}
