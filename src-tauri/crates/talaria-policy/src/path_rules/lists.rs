//! Names of the files that are refused.

pub(super) const DEVICES: &[&str] = &[
    "console", "fd/0", "fd/1", "fd/2", "full", "ptmx", "random", "stderr", "stdin", "stdout", "tty", "urandom", "zero",
];
/// Names of disks: what follows is a letter or a number.
pub(super) const DISKS: &[&str] = &["hd", "mmcblk", "nvme", "sd", "vd", "xvd"];
pub(super) const PROCESS_SECRETS: &[&str] = &[
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

/// Files with secrets, in any folder.
pub(super) const ENV_FILES: &[&str] = &[
    ".env",
    ".env.development",
    ".env.local",
    ".env.production",
    ".env.staging",
    ".env.test",
    ".envrc",
];
pub(super) const UNREADABLE_OWN: &[&str] = &[
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

pub(super) const UNWRITABLE_SYSTEM: &[&str] = &[
    "/boot",
    "/dev",
    "/etc",
    "/private/etc",
    "/private/var",
    "/proc",
    "/sys",
    "/usr/lib/systemd",
];
pub(super) const UNWRITABLE_SOCKETS: &[&str] = &["/run/docker.sock", "/var/run/docker.sock"];
/// Files in the person's home.
pub(super) const UNWRITABLE_USER: &[&str] = &[
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".profile",
    ".pypirc",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];
/// Folders in the person's home; what lies in them is refused.
pub(super) const UNWRITABLE_USER_FOLDERS: &[&str] = &[
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".docker",
    ".gnupg",
    ".kube",
    ".ssh",
];
/// Credentials, settings that hold the rules, and stores through which a model could allow itself more.
pub(super) const UNWRITABLE_OWN: &[&str] = &[
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
