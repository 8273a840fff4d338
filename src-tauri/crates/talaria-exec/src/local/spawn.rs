//! Starting a process by `posix_spawn`: the one way that does not copy this program's page tables first.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use tokio::net::unix::pipe;

/// First descriptor above those that a child gets.
const ABOVE_CHILD: RawFd = 100;

#[cfg(target_os = "linux")]
const SPAWN_SETSID: libc::c_int = 0x80;
#[cfg(target_vendor = "apple")]
const SPAWN_SETSID: libc::c_int = 0x400;

/// A process to start.
pub(super) struct Plan {
    program: Vec<u8>,
    output: OwnedFd,
    /// `None` is /dev/null.
    pub(super) input: Option<OwnedFd>,
    inherited: Vec<(OwnedFd, RawFd)>,
}

impl Plan {
    pub(super) fn new(program: &Path, output: OwnedFd) -> Self {
        Self {
            program: program.as_os_str().as_bytes().to_vec(),
            output,
            input: None,
            inherited: Vec::new(),
        }
    }

    /// Gives the child a descriptor under a number of its own.
    pub(super) fn inherit(&mut self, descriptor: OwnedFd, number: RawFd) -> io::Result<()> {
        self.inherited.push((clear_of_child(descriptor)?, number));
        Ok(())
    }

    /// Starts it as the leader of a new session; returns its process id. An error from `folder` and one from the
    /// program look the same.
    pub(super) fn start(&self, arguments: &[CString], variables: &[CString], folder: Option<&CStr>) -> io::Result<i32> {
        let program = CString::new(self.program.as_slice())?;
        let mut actions = Actions::new()?;
        match &self.input {
            Some(input) => actions.duplicate(input.as_raw_fd(), 0)?,
            None => actions.open_null(0)?,
        }
        actions.duplicate(self.output.as_raw_fd(), 1)?;
        actions.duplicate(self.output.as_raw_fd(), 2)?;
        for (descriptor, number) in &self.inherited {
            actions.duplicate(descriptor.as_raw_fd(), *number)?;
        }
        if let Some(folder) = folder {
            actions.enter(folder)?;
        }
        let attributes = Attributes::new()?;
        let pointers = |words: &[CString]| -> Vec<*mut libc::c_char> {
            words
                .iter()
                .map(|word| word.as_ptr().cast_mut())
                .chain([std::ptr::null_mut()])
                .collect()
        };
        let (arguments, variables) = (pointers(arguments), pointers(variables));
        let mut pid = 0;
        // SAFETY: all pointers stem from values that live through the call; both lists end with a null pointer; the
        // function does not write through them.
        let error = unsafe {
            libc::posix_spawn(
                &mut pid,
                program.as_ptr(),
                &actions.0,
                &attributes.0,
                arguments.as_ptr(),
                variables.as_ptr(),
            )
        };
        check(error)?;
        Ok(pid)
    }
}

/// A pipe whose read end belongs to the event loop.
pub(super) fn output_pipe() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (read, write) = pipe_pair()?;
    Ok((pipe::Receiver::from_owned_fd(read)?, write))
}

/// A pipe whose write end belongs to the event loop.
pub(super) fn input_pipe() -> io::Result<(OwnedFd, pipe::Sender)> {
    let (read, write) = pipe_pair()?;
    Ok((read, pipe::Sender::from_owned_fd(write)?))
}

fn pipe_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    // Both ends close on exec; the child's copies are made by the spawn actions.
    let (read, write) = io::pipe()?;
    Ok((clear_of_stdio(read.into())?, clear_of_stdio(write.into())?))
}

/// A program that was started with closed standard streams gets their numbers for its pipes.
fn clear_of_stdio(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    if descriptor.as_raw_fd() > 2 && !(90..ABOVE_CHILD).contains(&descriptor.as_raw_fd()) {
        return Ok(descriptor);
    }
    clear_of_child(descriptor)
}

/// Moves a descriptor out of the way of the numbers that a child gets: one action must not overwrite what the next
/// one copies.
fn clear_of_child(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    if (3..90).contains(&descriptor.as_raw_fd()) || descriptor.as_raw_fd() >= ABOVE_CHILD {
        return Ok(descriptor);
    }
    // SAFETY: the descriptor is open; the result is checked.
    let moved = unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, ABOVE_CHILD) };
    if moved < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and ours alone.
    Ok(unsafe { OwnedFd::from_raw_fd(moved) })
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes; on success the value is initialised.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        Ok(Self(unsafe { actions.assume_init() }))
    }

    fn duplicate(&mut self, from: RawFd, to: RawFd) -> io::Result<()> {
        // SAFETY: the actions are initialised.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&mut self.0, from, to) })
    }

    fn open_null(&mut self, to: RawFd) -> io::Result<()> {
        let path = c"/dev/null".as_ptr();
        // SAFETY: the actions are initialised and copy the path.
        check(unsafe { libc::posix_spawn_file_actions_addopen(&mut self.0, to, path, libc::O_RDONLY, 0) })
    }

    fn enter(&mut self, folder: &CStr) -> io::Result<()> {
        // SAFETY: the actions are initialised and copy the path.
        check(unsafe { libc::posix_spawn_file_actions_addchdir_np(&mut self.0, folder.as_ptr()) })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: the actions are initialised and not used afterwards.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    /// A session of its own (a group to signal, no terminal to be asked for a password on), no signal blocked, and
    /// SIGPIPE as programs expect it: the Rust runtime ignores it.
    fn new() -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes; on success the value is initialised.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let flags =
            SPAWN_SETSID | libc::POSIX_SPAWN_SETSIGMASK as libc::c_int | libc::POSIX_SPAWN_SETSIGDEF as libc::c_int;
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the set is initialised by `sigemptyset` before it is read; the attributes are initialised.
        unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(&mut attributes.0, signals.as_ptr()))?;
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
            check(libc::posix_spawnattr_setsigdefault(&mut attributes.0, signals.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(
                &mut attributes.0,
                flags as libc::c_short,
            ))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the attributes are initialised and not used afterwards.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}

fn check(error: libc::c_int) -> io::Result<()> {
    if error == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(error))
    }
}
