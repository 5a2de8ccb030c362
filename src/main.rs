//! The command line program.

fn main() -> std::process::ExitCode {
    promptc::cli::main()
}
