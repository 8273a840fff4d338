use crate::cases::{Verdict, run};
use talaria_model::{Piece, ThinkScrubber};

#[test]
fn cases_think_scrub() {
    run("think-scrub", |case| {
        let mut scrubber = ThinkScrubber::default();
        let mut visible = String::new();
        let mut take = |piece: Piece<'_>| {
            if let Piece::Visible(text) = piece {
                visible.push_str(text);
            }
        };
        for chunk in case["input"]["chunks"].as_array().expect("chunks") {
            scrubber.push(chunk.as_str().expect("text"), &mut take);
        }
        scrubber.finish(&mut take);
        match case["expect"]["visible"] == visible {
            true => Verdict::Passed,
            false => Verdict::Failed(format!("got {visible:?}, expected {}", case["expect"]["visible"])),
        }
    });
}
