//! What running `true` in an environment costs beside a bare `bash -c true`.
#![allow(
    clippy::unwrap_used,
    reason = "a measurement that cannot be set up fails by panicking"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_exec::{Environment, EnvironmentOptions, LocalBackend, OutputCap, RunRequest, TextForm};
use tokio_util::sync::CancellationToken;

const RUNS: usize = 300;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    // In a task of the pool, where turns run: the thread that blocks on a runtime is woken by a detour.
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn_on(compare(), runtime.handle());
    runtime.block_on(async { tasks.join_next().await.unwrap().unwrap() });
}

async fn compare() {
    let folder = std::env::temp_dir();
    let options = EnvironmentOptions::new(folder.to_string_lossy());
    let environment = Environment::new(Arc::new(LocalBackend::new()), options);
    let mut bare = Vec::with_capacity(RUNS);
    let mut ours = Vec::with_capacity(RUNS);
    for run in 0..RUNS {
        // Alternating, so that a disturbance of the machine hits both.
        if run % 2 == 0 {
            bare.push(bare_run());
            ours.push(our_run(&environment).await);
        } else {
            ours.push(our_run(&environment).await);
            bare.push(bare_run());
        }
    }
    let (bare, ours) = (median(bare), median(ours));
    println!(
        "{{\"runs\":{RUNS},\"bare_ms\":{:.3},\"environment_ms\":{:.3},\"ratio\":{:.3}}}",
        bare.as_secs_f64() * 1e3,
        ours.as_secs_f64() * 1e3,
        ours.as_secs_f64() / bare.as_secs_f64()
    );
}

// The yardstick is the blocking call itself.
#[allow(clippy::disallowed_methods)]
fn bare_run() -> Duration {
    let start = Instant::now();
    let output = std::process::Command::new("bash")
        .args(["-c", "true"])
        .stdin(std::process::Stdio::null())
        .output();
    assert!(output.is_ok_and(|output| output.status.success()));
    start.elapsed()
}

async fn our_run(environment: &Environment) -> Duration {
    let start = Instant::now();
    let mut request = RunRequest::new("true");
    request.cap = OutputCap::Chars(50_000);
    request.text = TextForm::Plain;
    let result = environment.run(request, &CancellationToken::new()).await;
    assert!(result.is_ok_and(|result| result.exit_code == 0));
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
