use super::*;

#[test]
fn names_tell_images_documents_and_binaries() {
    for (name, says) in [
        ("a/B.PNG", Some("image")),
        ("x.pdf", Some("document")),
        ("x.tar.gz", Some("binary")),
        ("x.so", Some("binary")),
        ("x.svg", None),
        ("Makefile", None),
        (".zip", None),
        ("a.zip/readme", None),
    ] {
        let refusal = refusal_by_name(name);
        match says {
            None => assert_eq!(refusal, None, "{name}"),
            Some(word) => assert!(refusal.is_some_and(|text| text.contains(word)), "{name}"),
        }
    }
}

#[test]
fn extensions_are_listed_once_and_in_order() {
    for list in [IMAGES, DOCUMENTS, BINARIES] {
        assert!(list.is_sorted_by(|left, right| left < right), "{list:?}");
    }
}

#[test]
fn many_control_characters_make_a_file_binary() {
    assert!(looks_binary(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"));
    assert!(looks_binary(
        &"text".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()
    ));
    assert!(!looks_binary("häßlich\tund\r\nlang".as_bytes()));
    assert!(!looks_binary(b"\x1b[31mred\x1b[0m text with some escapes in it"));
    assert!(!looks_binary(b""));
    assert!(
        !looks_binary(&[&[b'x'; 1000][..], &[0; 1000][..]].concat()),
        "only the beginning is looked at"
    );
}
