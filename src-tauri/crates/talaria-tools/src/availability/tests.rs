use super::*;

#[test]
fn a_verdict_holds_half_a_minute_and_a_failure_has_a_grace() {
    let start = Instant::now();
    let at = |seconds: u64| start + Duration::from_secs(seconds);
    let availability = Availability::default();
    let probes = std::cell::Cell::new(0);
    let check = |seconds, answer| {
        availability.check(at(seconds), "t", || {
            probes.set(probes.get() + 1);
            answer
        })
    };
    assert!(check(0, true));
    assert!(check(29, false), "remembered");
    assert_eq!(probes.get(), 1);
    assert!(check(31, false), "within the grace of the success at 0");
    assert!(check(32, false), "not remembered: probed again");
    assert_eq!(probes.get(), 3);
    assert!(!check(61, false), "the grace is over");
    assert!(!check(90, true), "the failure is remembered");
    assert_eq!(probes.get(), 4);
    assert!(check(92, true));
    availability.forget();
    assert!(!check(93, false), "nothing is remembered, not even the success");
}
