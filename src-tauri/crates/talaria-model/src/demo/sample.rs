//! The sample project: a price list and a shell script that adds it up, with one test that fails until the script is
//! fixed. Needs `sh` and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const NAME: &str = "price-list";
const MOST_SAMPLES: u32 = 10_000;

pub(super) const SCRIPT: &str = "total.sh";
pub(super) const TESTS: &str = "tests/run.sh";
pub(super) const TEST_COMMAND: &str = "sh tests/run.sh";
/// The line with the fault, and the same line without it.
pub(super) const FAULTY_LOOP: &str = "while read -r name cents; do";
const SOUND_LOOP: &str = "while read -r name cents || [ -n \"$name\" ]; do";
/// What tells a fixed script from the faulty one.
pub(super) const FIXED_MARK: &str = "|| [ -n ";

const FILES: &[(&str, &str)] = &[
    (
        "README.md",
        "# Price list\n\nAdds up a shopping list. A list has one item a line: its name and its price in cents.\n\n    sh total.sh \
         lists/fruit.txt\n    sh tests/run.sh\n",
    ),
    (
        "money.sh",
        "# Prints cents as an amount: 465 becomes 4.65.\nformat_cents() {\n    printf '%d.%02d\\n' $(($1 / 100)) $(($1 % 100))\n}\n",
    ),
    ("lists/fruit.txt", "apples 120\npears 345\ngrapes 280\n"),
    ("tests/lists/empty.txt", ""),
    ("tests/lists/one.txt", "apples 120\n"),
    ("tests/lists/no-line-break.txt", "apples 120\npears 345"),
    (
        TESTS,
        r#"#!/bin/sh
# Runs all tests; exits with 1 if one fails.
cd "$(dirname "$0")/.." || exit 1
failed=0

# check NAME EXPECTED LIST
check() {
    got=$(sh total.sh "$3")
    if [ "$got" = "$2" ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1: expected $2, got $got"
        failed=1
    fi
}

check "an empty list costs nothing" 0.00 tests/lists/empty.txt
check "one item costs its price" 1.20 tests/lists/one.txt
check "the last line counts without a line break" 4.65 tests/lists/no-line-break.txt

[ "$failed" = 0 ] && echo "all tests passed"
exit "$failed"
"#,
    ),
];

/// Which lines of a list the fixed script skips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skips {
    Blank,
    Comments,
    Both,
}

/// The script with its fault.
fn faulty() -> String {
    script(FAULTY_LOOP, "")
}

/// The script without its fault.
pub(super) fn fixed(skips: Skips) -> String {
    let blank = "    [ -n \"$name\" ] || continue\n";
    let comments = "    case $name in '#'*) continue ;; esac\n";
    let lines = match skips {
        Skips::Blank => blank.to_owned(),
        Skips::Comments => comments.to_owned(),
        Skips::Both => format!("{blank}{comments}"),
    };
    script(SOUND_LOOP, &lines)
}

fn script(head: &str, skips: &str) -> String {
    format!(
        "#!/bin/sh\n# Adds up a price list: one item a line, its name and its price in cents.\n# Usage: sh total.sh LIST\n\
         . \"$(dirname \"$0\")/money.sh\"\n\ntotal=0\n{head}\n{skips}    total=$((total + cents))\ndone < \"$1\"\n\
         format_cents \"$total\"\n"
    )
}

/// Makes a new sample project in `parent`, which is made if it is missing, and gives its folder. Each call makes another.
pub fn create_sample_project(parent: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(parent)?;
    let folder = new_folder(parent)?;
    let script = faulty();
    let files = FILES.iter().copied().chain([(SCRIPT, script.as_str())]);
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(folder)
}

/// Two chats may ask at once, so the folder is claimed by making it.
fn new_folder(parent: &Path) -> io::Result<PathBuf> {
    for number in 1..MOST_SAMPLES {
        let folder = match number {
            1 => parent.join(NAME),
            number => parent.join(format!("{NAME}-{number}")),
        };
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("{} is full of sample projects", parent.display()),
    ))
}

#[cfg(test)]
mod tests;
