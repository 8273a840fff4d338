//! The scripted model as a program, for window tests and shell scripts.
//!
//! `scripted-model SCRIPT.json [--log FILE] [--gates DIR] [--port N]` prints the base URL and serves until it is ended.
//! The form of scripts is described in the module `script_file` of the crate. Gates are files in DIR, by default the
//! script's folder; each request is appended to the log as one line of JSON.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the command line"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use talaria_testkit::{Script, ScriptedModel};

const USAGE: &str = "usage: scripted-model SCRIPT.json [--log FILE] [--gates DIR] [--port N]";

fn main() -> ExitCode {
    match start() {
        Ok(model) => {
            println!("{}", model.base_url());
            // Whoever started this may be gone; the requests of others are served all the same.
            let _ = std::io::stdout().flush();
            model.serve_forever();
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn start() -> Result<ScriptedModel, String> {
    let (mut script, mut log, mut gates, mut port) = (None, None, None, None);
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        let target = match arg.to_str() {
            Some("--log") => &mut log,
            Some("--gates") => &mut gates,
            Some("--port") => &mut port,
            _ if script.is_none() => {
                script = Some(PathBuf::from(arg));
                continue;
            }
            _ => return Err(USAGE.to_owned()),
        };
        *target = Some(PathBuf::from(args.next().ok_or(USAGE)?));
    }
    let file = script.ok_or(USAGE)?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let folder = gates.as_deref().or(file.parent()).unwrap_or(Path::new("."));
    let mut script = Script::from_json(&text, folder)?;
    if let Some(log) = log {
        script = script.log_to(log);
    }
    if let Some(port) = port {
        let number = port.to_str().and_then(|port| port.parse().ok()).ok_or(USAGE)?;
        script = script.port(number);
    }
    Ok(ScriptedModel::start_blocking(script))
}
