//! The arguments of a call, checked.

use crate::guidance;
use serde_json::Value;
use std::time::Duration;
use talaria_exec::Environment;
use talaria_tools::ToolLimits;

/// A call that may run.
pub(crate) struct Request {
    pub(crate) command: String,
    pub(crate) timeout: Duration,
    pub(crate) workdir: Option<String>,
}

/// Why a call does not run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    pub(crate) status: &'static str,
}

fn error(message: impl Into<String>) -> Refusal {
    Refusal {
        message: message.into(),
        status: "error",
    }
}

impl Request {
    /// Reads the arguments in the order of the contract: types, time, what a foreground call must not do, folder.
    pub(crate) fn read(args: &Value, limits: &ToolLimits) -> Result<Self, Refusal> {
        let command = match args.get("command") {
            Some(Value::String(command)) if command.trim().is_empty() => return Err(error("The command is empty.")),
            Some(Value::String(command)) => command.clone(),
            other => {
                return Err(error(format!(
                    "Invalid command: expected string, got {}",
                    type_name(other)
                )));
            }
        };
        if command.contains('\0') {
            return Err(error("The command contains a NUL character; a shell cannot take it."));
        }
        for (name, what) in [
            ("background", "Background processes are"),
            ("pty", "A terminal (pty) is"),
        ] {
            if args
                .get(name)
                .is_some_and(|value| *value != Value::Bool(false) && !value.is_null())
            {
                return Err(error(format!(
                    "{what} not available: run a command that ends by itself within its timeout, without `{name}`."
                )));
            }
        }
        let timeout = timeout(args.get("timeout"), limits)?;
        if let Some(advice) = guidance::advice(&command) {
            return Err(error(advice));
        }
        let workdir = match args.get("workdir") {
            None | Some(Value::Null) => None,
            Some(Value::String(workdir)) if workdir.trim().is_empty() => None,
            Some(Value::String(workdir)) if workdir.contains('\0') => {
                let message = "The workdir contains a NUL character; no folder has such a name.".to_owned();
                return Err(Refusal {
                    message,
                    status: "blocked",
                });
            }
            Some(Value::String(workdir)) => Some(workdir.clone()),
            other => {
                return Err(error(format!(
                    "Invalid workdir: expected string, got {}",
                    type_name(other)
                )));
            }
        };
        Ok(Self {
            command,
            timeout,
            workdir,
        })
    }

    /// The folder that the command would run in.
    pub(crate) fn folder(&self, environment: &Environment) -> String {
        match &self.workdir {
            Some(workdir) => environment.resolve(workdir),
            None => environment.cwd(),
        }
    }
}

fn timeout(value: Option<&Value>, limits: &ToolLimits) -> Result<Duration, Refusal> {
    let seconds = match value {
        None | Some(Value::Null) => limits.terminal_timeout_s,
        Some(value) => match value.as_u64() {
            Some(seconds @ 1..) => seconds,
            _ => {
                return Err(error(format!(
                    "Invalid timeout: expected whole seconds from 1 on, got {value}"
                )));
            }
        },
    };
    let most = limits.terminal_max_timeout_s;
    if seconds > most {
        return Err(error(format!(
            "A timeout of {seconds} s is more than the {most} s that a command may take here. Nothing was run. \
             Split the work into commands that each end within {most} s."
        )));
    }
    Ok(Duration::from_secs(seconds))
}

fn type_name(value: Option<&Value>) -> &'static str {
    match value {
        None | Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}
