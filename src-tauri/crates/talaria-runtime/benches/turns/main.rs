//! The whole path, from a message to its answer, beside the bare steps that it cannot do without, in the same run.
//!
//! `cargo bench -p talaria-runtime --bench turns` measures turns inside this process. With `TALARIAD` set to a release
//! binary it also measures that program: its start, its memory and the deltas that it prints a second. Each row is one
//! JSON object a line, on standard output or in the file `BENCH_ROWS`; `scripts/bench.sh` makes the table. `BENCH_ONLY`
//! runs the parts whose name it contains.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a measurement that cannot be set up fails by panicking, and its yardsticks are the blocking calls"
)]

mod bare;
mod program;
mod row;
mod script;
mod turn;

use row::Rows;

fn main() {
    // `cargo test --benches` runs this too; measuring a debug build says nothing.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let only = std::env::var("BENCH_ONLY").unwrap_or_default();
    let mut rows = Rows::open();
    let mut part = |name: &str, run: &dyn Fn(&mut Rows)| {
        if name.contains(&only) {
            eprintln!("bench: {name} (load {})", load());
            run(&mut rows);
        }
    };
    part("turns", &turn::turns);
    part("growth", &turn::growth);
    match std::env::var_os("TALARIAD") {
        Some(program) => {
            let program = std::path::PathBuf::from(program);
            part("start", &|rows| program::start(&program, rows));
            part("memory", &|rows| program::memory(&program, rows));
            part("deltas", &|rows| program::deltas(&program, rows));
        }
        None => eprintln!("bench: TALARIAD is not set, so the program itself is not measured"),
    }
}

/// Average number of runnable tasks of the machine, over 1, 5 and 15 minutes.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
