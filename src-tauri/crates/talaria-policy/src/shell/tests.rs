use super::*;
use std::time::Duration;

#[test]
fn a_pipeline_knows_what_it_reads_from() {
    let script = parse("a | b | c", Instant::now() + Duration::from_secs(5));
    let sources: Vec<_> = script.simples.iter().map(|simple| simple.reads_from).collect();
    assert_eq!(sources, [None, Some(0), Some(1)]);
    assert_eq!(script.simples[2].operator, "|");
}
