//! Which process this is, and whether another one still lives.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// Names one open store of one process for as long as that process lives. A pid alone is not enough: the system
/// gives it out again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Process id.
    pub pid: u32,
    /// When the process started, as the system tells it; opaque, compared for equality only.
    pub process_started_at: String,
    /// Tells two stores of one process apart.
    pub instance: String,
    /// Name of the program, for messages.
    pub program: String,
}

impl Owner {
    /// This process, as a new instance.
    pub fn this_process() -> Self {
        let pid = std::process::id();
        let program = std::env::current_exe()
            .ok()
            .and_then(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
            .unwrap_or_else(|| "talaria".to_owned());
        Self {
            pid,
            process_started_at: start_stamp(pid).unwrap_or_default(),
            instance: format!("{:012x}", random() & 0xffff_ffff_ffff),
            program,
        }
    }
}

/// Whether the process that had this pid and start still runs.
pub(crate) fn is_alive(pid: u32, process_started_at: &str) -> bool {
    match start_stamp(pid) {
        Some(stamp) => stamp == process_started_at,
        None => false,
    }
}

/// Boot id and start tick: unlike a point in time it does not move when the clock is set.
#[cfg(target_os = "linux")]
pub(crate) fn start_stamp(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (state, tick) = state_and_start(&stat)?;
    // A zombie has ended; only its parent has not looked yet.
    if state == "Z" || state == "X" {
        return None;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{}:{tick}", boot.trim()))
}

/// The program name in `stat` may hold blanks and brackets, so fields count from the last bracket.
#[cfg(target_os = "linux")]
fn state_and_start(stat: &str) -> Option<(&str, &str)> {
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    // `state` is field 3, the start time field 22.
    Some((state, fields.nth(18)?))
}

/// Without `/proc` only the presence of the pid is known; a reused pid then keeps a lease until it ends.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn start_stamp(pid: u32) -> Option<String> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    // SAFETY: signal 0 checks that the process exists and sends nothing.
    let gone =
        unsafe { libc::kill(pid, 0) } != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
    (!gone).then(|| "running".to_owned())
}

/// Nothing cheap tells whether a process lives here: every holder counts as alive, and leases end with their turn.
#[cfg(not(unix))]
pub(crate) fn start_stamp(_pid: u32) -> Option<String> {
    Some("running".to_owned())
}

/// A random number without a dependency: the standard library seeds its hashers from the system.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests;
