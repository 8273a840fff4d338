//! What a script hands back: its folder and `export -p`.

use crate::EnvMap;
use std::ffi::{OsStr, OsString};
#[cfg(unix)]
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// Longest `NAME=value` that `exec` takes on Linux, with its NUL.
const LONGEST_VARIABLE: usize = 128 * 1024;
/// Largest environment that is held. `exec` takes 2 MiB for variables and arguments together.
const LARGEST_ENVIRONMENT: usize = 1024 * 1024;

/// Folder and variables after a command.
pub(crate) struct Handed {
    /// `None` when the folder is gone or its name is not text.
    pub(crate) cwd: Option<String>,
    pub(crate) env: EnvMap,
}

/// Reads what [`crate::wrapper::DUMP`] wrote; `None` when it is empty or incomplete.
pub(crate) fn parse(bytes: &[u8]) -> Option<Handed> {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let (folder, exports, _) = (parts.next()?, parts.next()?, parts.next()?);
    let folder = folder.strip_suffix(b"\n").unwrap_or(folder);
    let cwd = std::str::from_utf8(folder)
        .ok()
        .filter(|folder| folder.starts_with('/'))
        .map(str::to_owned);
    Some(Handed {
        cwd,
        env: exports_of(exports)?,
    })
}

/// What changed between two environments.
pub(crate) struct Changes {
    set: Vec<(OsString, OsString)>,
    removed: Vec<OsString>,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    /// Names that are set or removed.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        let set = self.set.iter().map(|(name, _)| name);
        set.chain(&self.removed).map(|name| name.to_string_lossy().into_owned())
    }

    pub(crate) fn apply(self, env: &mut EnvMap) {
        for name in &self.removed {
            env.remove(name);
        }
        let mut size: usize = env.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        for (name, value) in self.set {
            size += name.len() + value.len() + 2;
            // A variable that no later command could be started with must not be kept.
            if name.len() + value.len() + 2 > LONGEST_VARIABLE || size > LARGEST_ENVIRONMENT {
                tracing::warn!(name = %name.to_string_lossy(), "the variable is too large to keep");
                continue;
            }
            env.insert(name, value);
        }
    }
}

/// Compares; the shell's own bookkeeping and exported functions, which `export -p` does not list, count as unchanged.
pub(crate) fn changes(before: &EnvMap, after: EnvMap) -> Changes {
    let removed = before
        .keys()
        .filter(|name| !after.contains_key(*name) && !is_bookkeeping(name) && is_name(name.as_bytes()))
        .cloned()
        .collect();
    let set = after
        .into_iter()
        .filter(|(name, value)| !is_bookkeeping(name) && before.get(name) != Some(value))
        .collect();
    Changes { set, removed }
}

fn is_bookkeeping(name: &OsStr) -> bool {
    name == "SHLVL" || name == "_" || name == "PWD"
}

fn is_name(bytes: &[u8]) -> bool {
    bytes
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Parses `declare -x NAME="value"` lines, or `export` in place of `declare -x` in POSIX mode.
pub(crate) fn exports_of(text: &[u8]) -> Option<EnvMap> {
    let mut env = EnvMap::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = match rest.strip_prefix(b"declare -") {
            Some(flags) => &flags[flags.iter().position(|byte| *byte == b' ')? + 1..],
            None => rest.strip_prefix(b"export ")?,
        };
        let end = rest.iter().position(|byte| *byte == b'=' || *byte == b'\n')?;
        let name = &rest[..end];
        let has_value = rest[end] == b'=';
        rest = &rest[end + 1..];
        if !has_value {
            // Marked for export but never set.
            continue;
        }
        let (value, after) = match rest.first()? {
            b'"' => double_quoted(&rest[1..])?,
            b'$' => ansi_quoted(rest.strip_prefix(b"$'")?)?,
            // An array; it has no place in an environment.
            b'(' => {
                rest = &rest[rest.iter().position(|byte| *byte == b'\n')? + 1..];
                continue;
            }
            _ => return None,
        };
        rest = after.strip_prefix(b"\n")?;
        env.insert(OsStr::from_bytes(name).to_owned(), OsString::from_vec(value));
    }
    Some(env)
}

fn double_quoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    let mut rest = text;
    loop {
        let at = rest.iter().position(|byte| *byte == b'"' || *byte == b'\\')?;
        value.extend_from_slice(&rest[..at]);
        if rest[at] == b'"' {
            return Some((value, &rest[at + 1..]));
        }
        let escaped = *rest.get(at + 1)?;
        if escaped != b'\n' {
            if !matches!(escaped, b'$' | b'`' | b'"' | b'\\') {
                value.push(b'\\');
            }
            value.push(escaped);
        }
        rest = &rest[at + 2..];
    }
}

fn ansi_quoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    let mut rest = text;
    loop {
        let at = rest.iter().position(|byte| *byte == b'\'' || *byte == b'\\')?;
        value.extend_from_slice(&rest[..at]);
        if rest[at] == b'\'' {
            return Some((value, &rest[at + 1..]));
        }
        let escaped = *rest.get(at + 1)?;
        rest = &rest[at + 2..];
        match escaped {
            b'a' => value.push(0x07),
            b'b' => value.push(0x08),
            b'e' | b'E' => value.push(0x1b),
            b'f' => value.push(0x0c),
            b'n' => value.push(b'\n'),
            b'r' => value.push(b'\r'),
            b't' => value.push(b'\t'),
            b'v' => value.push(0x0b),
            b'0'..=b'7' => {
                let digits = 1 + rest
                    .iter()
                    .take(2)
                    .take_while(|byte| matches!(byte, b'0'..=b'7'))
                    .count();
                let code = [&[escaped], &rest[..digits - 1]].concat();
                value.push(
                    code.iter()
                        .fold(0u8, |sum, digit| sum.wrapping_mul(8).wrapping_add(digit - b'0')),
                );
                rest = &rest[digits - 1..];
            }
            b'x' => {
                let digits = rest.iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
                let code = std::str::from_utf8(&rest[..digits]).ok()?;
                value.push(u8::from_str_radix(code, 16).ok()?);
                rest = &rest[digits..];
            }
            b'u' | b'U' => {
                let longest = if escaped == b'u' { 4 } else { 8 };
                let digits = rest
                    .iter()
                    .take(longest)
                    .take_while(|byte| byte.is_ascii_hexdigit())
                    .count();
                let code = u32::from_str_radix(std::str::from_utf8(&rest[..digits]).ok()?, 16).ok()?;
                value.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[digits..];
            }
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests;
