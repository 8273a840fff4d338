//! Deletes, permissions and writes to files that matter.

use super::ask;
use crate::assess::Check;
use crate::block::{deletes_everything, fold};
use crate::peel::{Peeled, base_name};

/// Startup and credential files of a person.
const HOME_FILES: [&str; 15] = [
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_profile",
    ".zprofile",
    ".zshenv",
    ".bash_login",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".talaria/config.yaml",
    ".talaria/.env",
    ".bash_logout",
];

/// A file that is written to by redirection, `tee`, `cp` and the like.
pub(super) fn target(check: &mut Check<'_>, path: &str) {
    let path = fold(path);
    let under = |folder: &str| path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    if ["/etc", "/private/etc", "/boot", "/usr/lib/systemd"]
        .iter()
        .any(|folder| under(folder))
    {
        return ask(check, "overwrite system config", "Writes to the system's configuration");
    }
    let home = path.strip_prefix("~/").map(str::to_owned).or_else(|| {
        // `~user/…` names a home folder as well.
        path.strip_prefix('~')
            .and_then(|rest| rest.split_once('/'))
            .map(|(_, rest)| rest.to_owned())
    });
    if let Some(inside) = home {
        let secret = [".ssh", ".aws", ".gnupg"]
            .iter()
            .any(|folder| inside == *folder || inside.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
        if secret || HOME_FILES.contains(&inside.as_str()) {
            return ask(
                check,
                "overwrite credential, SSH or shell startup file",
                "Writes to keys or to a shell's startup file",
            );
        }
    }
    let name = base_name(&path).into_owned();
    if name == ".env" || name.starts_with(".env.") && name != ".env.example" || name == "config.yaml" {
        ask(
            check,
            "overwrite project env/config",
            "Writes to a file with settings or secrets",
        );
    }
}

pub(super) fn remove(check: &mut Check<'_>, command: &Peeled<'_>) {
    let recursive = command.short().contains(['r', 'R']) || command.long("--recursive", 4);
    if recursive {
        ask(check, "recursive delete", "Deletes a folder");
    }
    if command.operands().any(|path| path.starts_with('/')) {
        ask(check, "delete in root path", "Deletes by an absolute path");
    }
}

pub(super) fn chmod(check: &mut Check<'_>, command: &Peeled<'_>) {
    whole_tree(check, command);
    let opens = command.operands().next().is_some_and(|mode| {
        let digits = (3..=5).contains(&mode.len()) && mode.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
        // The last digit is for everybody else; 2 in it means writing.
        (digits && mode.ends_with(['2', '3', '6', '7']))
            || mode.split(',').any(|clause| {
                clause.split_once(['+', '=']).is_some_and(|(who, rights)| {
                    (who.contains(['o', 'a']) || (who.is_empty() && clause.contains('+'))) && rights.contains('w')
                })
            })
    });
    if opens {
        ask(
            check,
            "world/other-writable permissions",
            "Lets everybody write to files",
        );
    }
}

pub(super) fn in_place(check: &mut Check<'_>, command: &Peeled<'_>) {
    let edits = command.long("--in-place", 4) || command.short().contains('i');
    if edits {
        for operand in command.operands().map(str::to_owned).collect::<Vec<_>>() {
            target(check, &operand);
        }
    }
}

/// Rights or owners of a whole system or home folder.
pub(super) fn whole_tree(check: &mut Check<'_>, command: &Peeled<'_>) {
    let recursive = command.short().contains('R') || command.long("--recursive", 5);
    if recursive
        && command
            .operands()
            .skip(1)
            .any(|path| deletes_everything(path).is_some())
    {
        ask(
            check,
            "recursive change of rights in a system or home folder",
            "Changes rights or owners of a whole system or home folder",
        );
    }
}
