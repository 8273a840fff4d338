//! Waiting for the end of a child without a thread and without polling.

use std::io;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use tokio::io::{Interest, unix::AsyncFd};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Wakes when a child ends.
pub(super) enum ExitWatch {
    /// The kernel's own handle of the process.
    #[cfg(target_os = "linux")]
    Handle(AsyncFd<OwnedFd>),
    /// Where there is none: every end of a child is looked at.
    Signal(Signal),
}

impl ExitWatch {
    pub(super) fn new(pid: i32) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(handle) = handle(pid) {
            // SAFETY: an `OwnedFd` stays open, and the same, until it is dropped.
            let handle = unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE) };
            return Ok(Self::Handle(handle.map_err(io::Error::from)?));
        }
        Ok(Self::Signal(signal(SignalKind::child())?))
    }

    /// Waits for the end and gives the exit code; the child stays a zombie until [`reap`], so that its id, which is
    /// also its group's, is not given to another.
    pub(super) async fn exited(&mut self, pid: i32) -> io::Result<i32> {
        loop {
            if let Some(code) = ended(pid)? {
                return Ok(code);
            }
            match self {
                #[cfg(target_os = "linux")]
                Self::Handle(handle) => handle.readable().await?.clear_ready(),
                Self::Signal(signal) => {
                    signal.recv().await;
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn handle(pid: i32) -> Option<OwnedFd> {
    use std::os::fd::FromRawFd as _;
    // SAFETY: the call takes two integers; the result is checked.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let descriptor = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the descriptor is new and ours alone.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// The exit code of a child that ended; 128 + n after signal n.
pub(super) fn ended(pid: i32) -> io::Result<Option<i32>> {
    wait(pid, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT)
}

/// Takes a child that ended off the system's list.
pub(super) fn reap(pid: i32) {
    if let Err(error) = wait(pid, libc::WEXITED | libc::WNOHANG) {
        tracing::debug!(pid, %error, "the process was not there to be reaped");
    }
}

fn wait(pid: i32, options: libc::c_int) -> io::Result<Option<i32>> {
    let id = pid.cast_unsigned();
    // SAFETY: all bits zero is a valid value; the kernel leaves the pid zero when nothing ended.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: `info` is valid for writes.
        if unsafe { libc::waitid(libc::P_PID, id, &mut info, options) } == 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: `waitid` filled in a child's end or left zeros, both of which these fields hold.
    let (ended, status) = unsafe { (info.si_pid() != 0, info.si_status()) };
    if !ended {
        return Ok(None);
    }
    Ok(Some(if info.si_code == libc::CLD_EXITED {
        status
    } else {
        128 + status
    }))
}
