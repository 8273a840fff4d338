use super::*;

fn noted(result: &str) -> String {
    let mut result = result.to_owned();
    add_note(&mut result, "said \"yes\"");
    result
}

#[test]
fn a_note_becomes_a_field_of_an_object_and_a_line_of_a_text() {
    assert_eq!(noted("{}"), r#"{"approval":"said \"yes\""}"#);
    assert_eq!(noted(r#"{"b":1,"a":2}"#), r#"{"b":1,"a":2,"approval":"said \"yes\""}"#);
    assert_eq!(noted("text"), "text\n\nsaid \"yes\"");
}

#[test]
fn a_long_result_is_cut_at_a_line_and_says_so() {
    let mut result = "é".repeat(8) + "\n" + &"é".repeat(8);
    fit(&mut result, Some(17));
    assert_eq!(
        result.chars().count(),
        17,
        "as many characters as the cap are left alone"
    );
    fit(&mut result, Some(12));
    assert_eq!(
        result,
        "é".repeat(8) + "\n\n[Result cut: 8 of 17 characters are shown. Narrow the call to see the rest.]"
    );
    let mut unlimited = "x".repeat(10);
    fit(&mut unlimited, None);
    assert_eq!(unlimited.len(), 10);
}
