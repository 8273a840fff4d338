//! `talariad`: the runtime without a window. Runs a task, one tool, or the protocol on standard input and output.

mod advice;
mod commands;
mod desk;
mod options;
mod output;
mod show;
mod signals;
mod terminal;

use clap::Parser;
use options::{Cli, Command};
use output::Stopped;
use std::process::ExitCode;

/// The task ended with an answer.
const COMPLETED: u8 = 0;
/// Something failed.
const FAILED: u8 = 1;
/// The command line is wrong (clap ends with the same code).
const USAGE: u8 = 2;
/// An approval was needed and denied, since nobody could be asked.
const DENIED: u8 = 3;
/// Ctrl-C or a termination signal.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // One thread serves a run with the least hand-over; the protocol server has room for several sessions.
    let mut builder = match &cli.command {
        Command::Serve(_) => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(2);
            builder
        }
        Command::Run(_) | Command::Tools(_) | Command::Tool(_) | Command::Sessions(_) => {
            tokio::runtime::Builder::new_current_thread()
        }
    };
    let runtime = match builder.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::err(&format!("error: the program could not be started: {error}"));
            return ExitCode::from(FAILED);
        }
    };
    let done = runtime.block_on(async {
        match cli.command {
            Command::Run(options) => Ok(commands::run::run(options).await),
            Command::Tools(options) => commands::tools::tools(options).await,
            Command::Tool(options) => commands::tools::tool(options).await,
            Command::Sessions(options) => commands::sessions::sessions(options).await,
            Command::Serve(options) => commands::serve::serve(options).await,
        }
    });
    let code = match done {
        Ok(code) => code,
        Err(Stopped::Output(error)) if output::reader_left(&error) => COMPLETED,
        Err(Stopped::Output(error)) => {
            output::tell_lost_output(&error);
            FAILED
        }
        Err(Stopped::Failed(error)) => {
            output::tell_error(&advice::advise(*error, None));
            FAILED
        }
    };
    // Reads of standard input block a thread that cannot be stopped; the process ends without waiting for it.
    runtime.shutdown_background();
    ExitCode::from(code)
}
