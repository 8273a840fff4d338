//! Waiting times between attempts (agent.md 8.2). Pure: the jitter comes in.

use std::time::Duration;

/// Longest wait that a server may ask for.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

/// How long to wait after failed attempt `attempt`, counted from 1. `jitter` in `0.0..=1.0` adds up to half.
pub fn backoff(attempt: u32, jitter: f64) -> Duration {
    doubling(2.0, 60.0, attempt, jitter)
}

/// How long to wait after attempt `attempt` gave an empty or malformed answer.
pub fn backoff_malformed(attempt: u32, jitter: f64) -> Duration {
    doubling(5.0, 120.0, attempt, jitter)
}

fn doubling(first: f64, most: f64, attempt: u32, jitter: f64) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    let base = (first * f64::from(1_u32 << doublings)).min(most);
    Duration::from_secs_f64(base * (1.0 + jitter.clamp(0.0, 1.0) / 2.0))
}

/// The wait that a `Retry-After` header asks for: seconds or an HTTP date, at most [`MAX_RETRY_AFTER`]. `now` is UNIX
/// time.
pub fn retry_after(header: &str, now: Duration) -> Option<Duration> {
    let header = header.trim();
    let wait = match header.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => {
            Duration::from_secs_f64(seconds.min(MAX_RETRY_AFTER.as_secs_f64()))
        }
        Ok(_) => return None,
        Err(_) => Duration::from_secs(http_date(header)?).saturating_sub(now),
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

/// UNIX time of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers still send.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (_, date) = text.split_once(", ")?;
    let mut fields = date.split(' ');
    let day: i64 = fields.next()?.parse().ok()?;
    let name = fields.next()?;
    let month = MONTHS.iter().position(|month| *month == name)?;
    let year: i64 = fields
        .next()?
        .parse()
        .ok()
        .filter(|year| (1970..10_000).contains(year))?;
    let mut clock = fields.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days from civil date: years begin in March, so that the leap day is the last of its year.
    let month = i64::try_from(month).ok()? + 1;
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some(u64::try_from(days).ok()? * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests;
