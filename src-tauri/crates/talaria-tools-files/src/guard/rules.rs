//! The rules themselves: pure decisions on an absolute path without `.` and `..` (security.md 12).

/// Home folders, each in all the spellings that lead to it.
#[derive(Debug, Default)]
pub(crate) struct Homes {
    pub(crate) talaria: Vec<String>,
    pub(crate) user: Vec<String>,
}

const DEVICES: [&str; 10] = [
    "console", "full", "ptmx", "random", "stderr", "stdin", "stdout", "tty", "urandom", "zero",
];
/// Names of disks: what follows is a letter or a number.
const DISKS: [&str; 6] = ["hd", "mmcblk", "nvme", "sd", "vd", "xvd"];
const PROCESS_SECRETS: [&str; 9] = [
    "auxv",
    "cmdline",
    "environ",
    "maps",
    "mem",
    "numa_maps",
    "pagemap",
    "smaps",
    "smaps_rollup",
];

const ENV_FILES: [&str; 7] = [
    ".env",
    ".env.development",
    ".env.local",
    ".env.production",
    ".env.staging",
    ".env.test",
    ".envrc",
];
const UNREADABLE_OWN: [&str; 9] = [
    ".anthropic_oauth.json",
    ".env",
    "auth.json",
    "auth.lock",
    "auth/google_oauth.json",
    "cache/bws_cache.json",
    "mcp-tokens",
    "skills/.hub",
    "webhook_subscriptions.json",
];

const UNWRITABLE_SYSTEM: [&str; 9] = [
    "/boot",
    "/dev",
    "/etc",
    "/private/etc",
    "/private/var",
    "/proc",
    "/run/docker.sock",
    "/sys",
    "/usr/lib/systemd",
];
/// Temporary folders of macOS lie below a protected one.
const MACOS_TEMPORARY: [&str; 2] = ["/private/var/folders", "/private/var/tmp"];
const UNWRITABLE_USER: [&str; 20] = [
    ".aws",
    ".azure",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".config/gcloud",
    ".config/gh",
    ".docker",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".profile",
    ".pypirc",
    ".ssh",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];
/// Credentials, settings that hold the rules, and stores through which a model could allow itself more.
const UNWRITABLE_OWN: [&str; 14] = [
    ".anthropic_oauth.json",
    ".env",
    "auth.json",
    "config.yaml",
    "cron",
    "mcp-tokens",
    "pairing",
    "pending",
    "plugins",
    "sessions",
    "shell-hooks-allowlist.json",
    "state.db",
    "state.db-shm",
    "state.db-wal",
];

/// Why a path is not read whatever it is: it would hang, never end, or give away the memory of a process.
pub(crate) fn device(path: &str) -> Option<String> {
    let hangs = if let Some(name) = path.strip_prefix("/dev/") {
        DEVICES.contains(&name)
            || matches!(name, "fd/0" | "fd/1" | "fd/2")
            || name.starts_with("watchdog")
            || DISKS
                .iter()
                .any(|disk| name.strip_prefix(disk).is_some_and(is_disk_number))
    } else {
        path.strip_prefix("/proc/").is_some_and(|rest| {
            let (folder, name) = rest.rsplit_once('/').unwrap_or_default();
            PROCESS_SECRETS.contains(&name) || (matches!(name, "0" | "1" | "2") && folder.ends_with("/fd"))
        })
    };
    hangs.then(|| format!("Read denied: '{path}' is a device or a process file that cannot be shown."))
}

/// `a`, `a1`, `0n1p2`: what stands behind the kind of a disk.
fn is_disk_number(rest: &str) -> bool {
    !rest.is_empty() && rest.len() <= 8 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Why a file is not read: it holds secrets, or text that was never checked.
pub(crate) fn read_denied(path: &str, homes: &Homes) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if ENV_FILES.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
        return Some(format!(
            "Read denied: '{path}' may hold secrets. Read .env.example, or ask the person for what you need to know."
        ));
    }
    let own = homes.talaria.iter().any(|home| is_listed(path, home, &UNREADABLE_OWN));
    own.then(|| format!("Read denied: '{path}' holds credentials or unchecked text of Talaria itself."))
}

/// Why a file is not written.
pub(crate) fn write_denied(path: &str, homes: &Homes) -> Option<String> {
    let listed = |homes: &[String], list: &[&str]| homes.iter().any(|home| is_listed(path, home, list));
    if listed(&homes.user, &UNWRITABLE_USER) || listed(&homes.talaria, &UNWRITABLE_OWN) {
        return Some(format!("Write denied: '{path}' is a protected system/credential file."));
    }
    let under = |folder: &&str| is_under(path, folder);
    let allowed = path == "/dev/null" || MACOS_TEMPORARY.iter().any(under);
    let system = !allowed && (UNWRITABLE_SYSTEM.iter().any(under) || path == "/var/run/docker.sock");
    system.then(|| {
        format!("Write denied: '{path}' is a protected system file. If the person wants it changed, use the terminal.")
    })
}

/// Whether `path` is one of the listed names in `home`, or lies below one.
fn is_listed(path: &str, home: &str, list: &[&str]) -> bool {
    let inside = path
        .strip_prefix(home.trim_end_matches('/'))
        .and_then(|rest| rest.strip_prefix('/'));
    inside.is_some_and(|inside| list.iter().any(|name| is_under(inside, name)))
}

fn is_under(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
