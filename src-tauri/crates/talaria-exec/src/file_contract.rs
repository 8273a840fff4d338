//! What every [`FileHost`](crate::FileHost) must do, as tests for any implementor. See [`file_host_contract!`](crate::file_host_contract).
#![allow(clippy::expect_used, clippy::panic, reason = "this module is made of tests")]

use crate::files::{FileError, FileHost, FileKind};

/// Makes a module of tests. The expression gives a tuple of the host, the path of an empty folder there, and anything that
/// must live as long.
#[macro_export]
macro_rules! file_host_contract {
    ($name:ident: $place:expr) => {
        $crate::file_host_contract!(@tests $name, $place,
            missing_things_are_told_apart
            a_written_file_is_read_back
            ranges_end_at_the_end_of_the_file
            a_folder_is_no_file
            folders_are_made_and_told
            replacing_keeps_the_mode_and_leaves_nothing_else
            a_failed_write_leaves_nothing
            a_missing_tail_stays_as_written
            names_are_listed_up_to_the_limit
        );
    };
    (@tests $name:ident, $place:expr, $($test:ident)*) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[tokio::test]
                async fn $test() {
                    let (host, root, _alive) = $place;
                    $crate::file_contract::$test(&host, &root).await;
                }
            )*
        }
    };
}

/// Nothing there is `None` to `stat`, `NotFound` to the others; also below a file.
pub async fn missing_things_are_told_apart(host: &dyn FileHost, root: &str) {
    let path = format!("{root}/missing");
    assert_eq!(host.stat(&path).await.expect("stat"), None);
    assert!(matches!(host.read(&path, 0, 10).await, Err(FileError::NotFound { .. })));
    assert!(matches!(host.list(&path, 10).await, Err(FileError::NotFound { .. })));
    host.write(&path, b"x".to_vec()).await.expect("write");
    assert_eq!(host.stat(&format!("{path}/below")).await.expect("stat"), None);
}

/// All bytes survive, and the facts agree with the write.
pub async fn a_written_file_is_read_back(host: &dyn FileHost, root: &str) {
    let path = format!("{root}/it's a \"file\" $HOME \u{e9}.bin");
    let bytes: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    let outcome = host.write(&path, bytes.clone()).await.expect("write");
    assert_eq!((outcome.bytes_written, outcome.dirs_created), (3_000_000, false));
    let stat = host.stat(&path).await.expect("stat").expect("there");
    assert_eq!(
        (stat.kind, stat.size, stat.modified_ns),
        (FileKind::File, 3_000_000, outcome.modified_ns)
    );
    assert!(
        host.read(&path, 0, u64::MAX).await.expect("read") == bytes,
        "the bytes differ"
    );
    host.write(&path, Vec::new()).await.expect("write");
    assert_eq!(host.read(&path, 0, 10).await.expect("read"), b"");
}

/// Offsets and limits count bytes; beyond the end there is nothing.
pub async fn ranges_end_at_the_end_of_the_file(host: &dyn FileHost, root: &str) {
    let path = format!("{root}/range");
    host.write(&path, b"0123456789".to_vec()).await.expect("write");
    for (offset, limit, expected) in [(0, 3, "012"), (8, 10, "89"), (10, 5, ""), (50, 5, ""), (4, 0, "")] {
        let got = host.read(&path, offset, limit).await.expect("read");
        assert_eq!(String::from_utf8_lossy(&got), expected, "{offset} {limit}");
    }
}

/// Reading or replacing a folder fails and changes nothing.
pub async fn a_folder_is_no_file(host: &dyn FileHost, root: &str) {
    assert_eq!(
        host.stat(root).await.expect("stat").map(|stat| stat.kind),
        Some(FileKind::Directory)
    );
    assert!(matches!(
        host.read(root, 0, 10).await,
        Err(FileError::IsDirectory { .. })
    ));
    assert!(matches!(
        host.write(root, b"x".to_vec()).await,
        Err(FileError::IsDirectory { .. })
    ));
    assert_eq!(
        host.stat(root).await.expect("stat").map(|stat| stat.kind),
        Some(FileKind::Directory)
    );
}

/// Missing folders are made, and the outcome says whether there were any.
pub async fn folders_are_made_and_told(host: &dyn FileHost, root: &str) {
    let path = format!("{root}/a/b/file");
    assert!(host.write(&path, b"1".to_vec()).await.expect("write").dirs_created);
    assert!(!host.write(&path, b"2".to_vec()).await.expect("write").dirs_created);
    assert_eq!(host.read(&path, 0, 10).await.expect("read"), b"2");
}

/// A new file is readable by others unless the umask says no; replacing keeps the mode and leaves no temporary file.
pub async fn replacing_keeps_the_mode_and_leaves_nothing_else(host: &dyn FileHost, root: &str) {
    let path = format!("{root}/file");
    host.write(&path, b"1".to_vec()).await.expect("write");
    let mode = host.stat(&path).await.expect("stat").expect("there").mode;
    assert_eq!(mode & 0o600, 0o600, "{mode:o}");
    assert_eq!(mode & 0o111, 0, "{mode:o}");
    host.write(&path, b"2".to_vec()).await.expect("write");
    assert_eq!(host.stat(&path).await.expect("stat").expect("there").mode, mode);
    assert_eq!(host.list(root, 10).await.expect("list"), ["file"]);
}

/// A write below a file fails without a trace.
pub async fn a_failed_write_leaves_nothing(host: &dyn FileHost, root: &str) {
    let file = format!("{root}/file");
    host.write(&file, b"old".to_vec()).await.expect("write");
    assert!(
        host.write(&format!("{file}/below/deeper"), b"x".to_vec())
            .await
            .is_err()
    );
    assert_eq!(host.list(root, 10).await.expect("list"), ["file"]);
    assert_eq!(host.read(&file, 0, 10).await.expect("read"), b"old");
}

/// The real path of something that does not exist is its real folder and the rest as written.
pub async fn a_missing_tail_stays_as_written(host: &dyn FileHost, root: &str) {
    let real_root = host.real_path(root).await.expect("real path");
    let real = host
        .real_path(&format!("{root}/no/../such/./file"))
        .await
        .expect("real path");
    assert_eq!(real, format!("{real_root}/such/file"));
}

/// Names only, never more than asked for.
pub async fn names_are_listed_up_to_the_limit(host: &dyn FileHost, root: &str) {
    for name in ["b", "a", "c"] {
        host.write(&format!("{root}/{name}"), Vec::new()).await.expect("write");
    }
    let mut names = host.list(root, 10).await.expect("list");
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(host.list(root, 2).await.expect("list").len(), 2);
}
