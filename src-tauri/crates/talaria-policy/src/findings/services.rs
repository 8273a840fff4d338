//! Services, processes, containers and databases.

use super::ask;
use crate::assess::Check;
use crate::peel::Peeled;

pub(super) fn forced(command: &Peeled<'_>) -> bool {
    command.short().contains('9')
        || command.args.iter().any(|arg| {
            matches!(
                arg.best(),
                "-KILL" | "-SIGKILL" | "KILL" | "SIGKILL" | "9" | "--signal=9" | "--signal=KILL"
            )
        })
}

/// Whether a command names a process of the agent itself.
pub(super) fn own_process(command: &Peeled<'_>) -> bool {
    command.operands().any(|name| {
        let name = name.to_lowercase();
        ["hermes", "gateway", "cli.py", "talaria"]
            .iter()
            .any(|own| name.contains(own))
    })
}

pub(super) fn own(check: &mut Check<'_>) {
    ask(
        check,
        "kill own process (self-termination)",
        "Ends the agent that runs it",
    );
}

pub(super) fn gateway(check: &mut Check<'_>, command: &Peeled<'_>) {
    let words: Vec<&str> = command.operands().collect();
    let pair = |a: &str, b: &[&str]| words.windows(2).any(|pair| pair[0] == a && b.contains(&pair[1]));
    if pair("gateway", &["stop", "restart"]) || words.first() == Some(&"update") {
        ask(
            check,
            "stop/restart own service (kills running agents)",
            "Stops running agents",
        );
    } else if pair("gateway", &["run"]) {
        ask(
            check,
            "start own service outside of the service manager",
            "Starts a service that nobody watches",
        );
    }
}

pub(super) fn powershell(check: &mut Check<'_>, command: &Peeled<'_>) {
    let args: Vec<String> = command.args.iter().map(|arg| arg.best().to_lowercase()).collect();
    if args.iter().any(|arg| {
        arg.starts_with('-') && (arg == "-e" || (arg.len() >= 3 && "-encodedcommand".starts_with(arg.as_str())))
    }) {
        return ask(
            check,
            "PowerShell encoded command execution",
            "Runs text that was hidden by an encoding",
        );
    }
    let verbs = ["remove-item", "rmdir", "erase", "del", "rd", "ri", "rm"];
    let file = args.iter().any(|arg| arg == "-file" || arg == "-f");
    let deletes = args.iter().any(|arg| {
        arg.split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .any(|word| verbs.contains(&word))
    });
    if deletes && !file {
        return ask(check, "Windows PowerShell destructive delete", "Deletes files");
    }
    if file || args.iter().any(|arg| arg == "-c" || arg == "-command") {
        ask(
            check,
            "script execution via -e/-c flag",
            "Runs a program written in the command",
        );
    }
}

pub(super) fn container(check: &mut Check<'_>, command: &Peeled<'_>) {
    // Options in front of the verb may have values; the first word that is a verb counts.
    const VERBS: [&str; 7] = ["restart", "stop", "kill", "down", "rm", "rmi", "pause"];
    let words: Vec<&str> = command.operands().collect();
    let compose = command.name.ends_with("-compose") || words.contains(&"compose");
    let starts = words.iter().position(|word| {
        matches!(
            *word,
            "run"
                | "exec"
                | "build"
                | "ps"
                | "logs"
                | "images"
                | "pull"
                | "push"
                | "inspect"
                | "up"
                | "cp"
                | "create"
                | "start"
        )
    });
    let ends = words
        .iter()
        .take(if compose { 6 } else { 3 })
        .position(|word| VERBS.contains(word));
    let ends = ends.filter(|at| starts.is_none_or(|start| *at < start));
    let volume = matches!(words.as_slice(), ["volume", "rm", ..]);
    if ends.is_some() || volume {
        ask(
            check,
            "docker restart/stop/kill (container lifecycle)",
            "Stops or removes containers",
        );
    }
    if matches!(
        words.as_slice(),
        ["system" | "volume" | "image" | "builder", "prune", ..]
    ) {
        ask(check, "docker prune", "Deletes images, volumes or caches");
    }
}

pub(super) fn sql(check: &mut Check<'_>, command: &Peeled<'_>) {
    let mut text: String = command
        .args
        .iter()
        .map(|arg| arg.best())
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    if let Some(Some(here)) = &check.simple.here {
        text.push(' ');
        text.push_str(&here.to_lowercase());
    }
    if let Some(source) = check.source {
        text.push(' ');
        text.push_str(&source.text.to_lowercase());
    }
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let pair = |a: &str, b: &[&str]| words.windows(2).any(|pair| pair[0] == a && b.contains(&pair[1]));
    if pair("drop", &["table", "database", "schema"]) {
        ask(check, "SQL DROP", "Deletes a table or a database");
    }
    if words.contains(&"truncate") {
        ask(check, "SQL TRUNCATE", "Empties a table");
    }
    if pair("delete", &["from"]) && !words.contains(&"where") {
        ask(check, "SQL DELETE without WHERE", "Deletes all rows of a table");
    }
}

/// `kill $(pgrep NAME)`, and `pgrep NAME | xargs kill`: ends whatever has a name, the agent perhaps among it.
pub(super) fn kill_by_name(check: &mut Check<'_>, command: &Peeled<'_>) {
    let named = |text: &str| text.contains("pgrep") || text.contains("pidof");
    if command
        .args
        .iter()
        .any(|arg| arg.value.is_none() && named(&arg.raw) && arg.raw.contains(['$', '`']))
    {
        ask(
            check,
            "kill process via pgrep/pidof expansion (self-termination)",
            "Ends every process with a name",
        );
    } else if command.through_xargs && check.source.is_some_and(|source| named(&source.text)) {
        ask(check, "force kill processes", "Ends every process with a name");
    }
}

/// Services of macOS that belong to the agent.
pub(super) fn launchd(check: &mut Check<'_>, command: &Peeled<'_>) {
    let verb = command.operands().next().unwrap_or_default();
    let stops = matches!(
        verb,
        "stop" | "kickstart" | "bootout" | "unload" | "kill" | "disable" | "remove"
    );
    let own = command.args.iter().any(|arg| {
        ["hermes", "talaria"]
            .iter()
            .any(|own| arg.best().to_lowercase().contains(own))
    });
    if stops && own {
        ask(
            check,
            "stop/restart hermes launchd service (kills running agents)",
            "Stops running agents",
        );
    }
}
