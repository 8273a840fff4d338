//! Time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// UNIX seconds.
pub(crate) fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |now| now.as_secs_f64())
}

/// Today in the person's zone, `YYYY-MM-DD`.
pub(crate) fn today() -> String {
    chrono::Local::now().format("%Y-%m-%d").to_string()
}
