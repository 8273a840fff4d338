//! Points in time as the database keeps them: UNIX seconds.

use std::time::{SystemTime, UNIX_EPOCH};

/// UNIX seconds now.
pub(crate) fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// A stamp for file names, unique enough for copies that are put aside: nanoseconds, so that a second one the same
/// second does not meet the first.
pub(crate) fn file_stamp() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{:09}", since.as_secs(), since.subsec_nanos())
}
