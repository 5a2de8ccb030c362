//! `promptc man`.

use super::Context;
use crate::diagnostic::ErrorReported;
use crate::project::output;
use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::path::PathBuf;

/// Write the manual pages, one for each command
///
/// They contain no date and no path, so that the same release writes the same bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc man ~/.local/share/man/man1    # then: man promptc-build")]
pub(super) struct Args {
    /// The folder to write them to; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let mut top = super::tree().disable_help_subcommand(true);
    // Names the commands below by the whole way to them.
    top.build();
    let mut pages = Vec::new();
    collect(&top, &mut pages);
    context.run.walls.add(&args.folder);
    let pages = pages.into_iter();
    let pages: Vec<_> = pages
        .map(|(name, page)| (args.folder.join(name), page))
        .collect();
    for (path, _) in &pages {
        output::check_unnamed(path, &mut context.run)?;
    }
    for (path, page) in &pages {
        output::folder_of(path, &mut context.run)?;
        output::to_file(path, page, &mut context.run)?;
    }
    Ok(())
}

/// The pages of a command and of those below it, with their names.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) {
    // The help ends with tables, whose lines a manual page would join.
    let end = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone().after_help(Resettable::Reset));
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = man.render(&mut page);
    let _ = sections(&end.unwrap_or_default()).to_writer(&mut page);
    pages.push((man.get_filename(), page));
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        collect(below, pages);
    }
}

/// Paragraphs of the form `Title:` and lines, each as a separate section.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for paragraph in text.split("\n\n") {
        if let Some((title, lines)) = paragraph.split_once(":\n") {
            roff.control("SH", [title.to_uppercase().as_str()]);
            roff.control("nf", []);
            roff.text([roman(lines)]);
            roff.control("fi", []);
        }
    }
    roff
}
