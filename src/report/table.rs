//! Rows and columns.

use super::text::Text;
use crate::prompt::Changes;

/// Rows and columns.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The columns; of a table without heads all names are empty.
    pub(super) columns: Vec<Column>,
    /// The subject of the lines below rows, where they become a column of their own.
    pub(super) below: String,
    /// The rows.
    pub(super) rows: Vec<Row>,
    /// The note about rows that are left out.
    pub(super) more: Option<String>,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// Whether it has numbers.
    pub(super) numbers: bool,
}

/// A row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// Lines about it.
    pub(super) below: Vec<Text>,
}

/// The content of a row and a column.
#[derive(Debug, Clone)]
pub enum Cell {
    /// A text.
    Text(Text),
    /// So much of the most that is in the column.
    Share {
        /// The amount.
        part: usize,
        /// The most.
        most: usize,
        /// The volatility of the change.
        changes: Option<Changes>,
    },
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

impl Table {
    /// A table with these columns; a name that begins with `>` makes a column of numbers.
    #[must_use]
    pub fn new(columns: &[&str]) -> Self {
        let column = |name: &&str| Column {
            name: name.trim_start_matches('>').to_owned(),
            numbers: name.starts_with('>'),
        };
        Self {
            columns: columns.iter().map(column).collect(),
            ..Self::default()
        }
    }

    /// A table without a head.
    #[must_use]
    pub fn bare(columns: usize) -> Self {
        Self::new(&vec![""; columns])
    }

    /// Says what the lines below rows are about.
    #[must_use]
    pub fn about(self, below: &str) -> Self {
        Self {
            below: below.to_owned(),
            ..self
        }
    }

    /// Adds a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(Row {
            cells: cells.into_iter().map(Into::into).collect(),
            below: Vec::new(),
        });
    }

    /// Adds a line below the last row.
    pub fn below(&mut self, text: impl Into<Text>) {
        if let Some(row) = self.rows.last_mut() {
            row.below.push(text.into());
        }
    }

    /// Says how many rows are left out.
    pub fn more(&mut self, more: impl Into<String>) {
        self.more = Some(more.into());
    }

    /// Whether a column has bars.
    pub(super) fn is_bar(&self, at: usize) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| matches!(row.cells.get(at), Some(Cell::Share { .. })))
    }

    /// Whether its columns have names.
    pub(super) fn has_heads(&self) -> bool {
        self.columns.iter().any(|column| !column.name.is_empty())
    }
}
