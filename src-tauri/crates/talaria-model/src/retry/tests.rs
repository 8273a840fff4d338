use super::*;

#[test]
fn waits_double_up_to_their_limit() {
    assert_eq!(
        [0, 1, 2, 3, 5, 6, 40].map(|attempt| backoff(attempt, 0.0).as_secs()),
        [2, 2, 4, 8, 32, 60, 60]
    );
    assert_eq!(
        [1, 2, 5, 6].map(|attempt| backoff_malformed(attempt, 0.0).as_secs()),
        [5, 10, 80, 120]
    );
}

#[test]
fn jitter_adds_up_to_half() {
    assert_eq!(backoff(1, 1.0), Duration::from_secs(3));
    assert_eq!(backoff(1, 9.0), Duration::from_secs(3));
}

#[test]
fn retry_after_as_seconds_or_date() {
    let now = Duration::from_secs(784_111_770);
    let wait = |header| retry_after(header, now).map(|wait| wait.as_millis());
    assert_eq!(wait("7"), Some(7000));
    assert_eq!(wait("1.5"), Some(1500));
    assert_eq!(wait("86400"), Some(600_000));
    assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7000));
    assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
    assert_eq!(wait("Thu, 29 Feb 2024 00:00:00 GMT"), Some(600_000));
    for header in ["", "soon", "-1", "NaN", "Sun, 06 Foo 1994 08:49:37 GMT"] {
        assert_eq!(wait(header), None, "{header:?}");
    }
    assert_eq!(http_date("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
}
