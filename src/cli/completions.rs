//! `promptc completions`.

use super::Context;
use crate::diagnostic::ErrorReported;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc completions powershell > promptc.ps1
  mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions
  promptc completions bash > ~/.local/share/bash-completion/completions/promptc
  promptc completions zsh > ~/.zfunc/_promptc
  promptc completions fish > ~/.config/fish/completions/promptc.fish")]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::tree(), "promptc", &mut script);
    crate::cli::stdout::to_stdout(&script, &mut context.run.diags)
}
