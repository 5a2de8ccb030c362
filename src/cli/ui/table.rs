//! Tables: lines and borders in a terminal, plain columns elsewhere.

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// A table in the making.
pub(crate) struct Table {
    table: comfy_table::Table,
}

impl Table {
    /// A table with these columns; a name that begins with `>` makes a column of numbers.
    pub(crate) fn new(fancy: bool, columns: &[&str]) -> Self {
        let mut table = comfy_table::Table::new();
        table
            .load_preset(if fancy {
                presets::UTF8_HORIZONTAL_ONLY
            } else {
                presets::NOTHING
            })
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(columns.iter().map(|c| c.trim_start_matches('>')));
        for (at, column) in columns.iter().enumerate() {
            if let Some(drawn) = table.column_mut(at) {
                drawn.set_padding((0, 2));
                if column.starts_with('>') {
                    drawn.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        Self { table }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.table.add_row(cells.into_iter().collect::<Vec<_>>());
    }

    /// The table's lines, none with white space at its end.
    pub(crate) fn draw(&self) -> String {
        let mut out = String::new();
        for line in self.table.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}
