use super::*;

#[test]
fn a_few_words_start_the_walk_and_others_do_not() {
    for text in [
        "Start",
        "yes, please!",
        "Show me what you can do",
        "Fix the failing test",
        "开始",
        "Покажи",
    ] {
        assert_eq!(wish(text), Wish::Start, "{text}");
    }
    for text in [
        "Hello",
        "Write a poem",
        "don't start",
        "No.",
        "stop the demo",
        "",
        "going",
    ] {
        assert_eq!(wish(text), Wish::Other, "{text}");
    }
    for text in ["Continue", "go on", "carry on please"] {
        assert_eq!(wish(text), Wish::GoOn, "{text}");
    }
}
