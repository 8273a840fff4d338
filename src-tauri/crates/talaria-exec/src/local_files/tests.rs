use super::*;
use std::ffi::CString;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

fn place() -> (LocalFiles, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (LocalFiles, folder.path().to_str().unwrap().to_owned(), folder)
}

crate::file_host_contract!(contract: place());

fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_link_stays_and_its_target_is_written() {
    let (host, root, _alive) = place();
    fs::create_dir(format!("{root}/real")).unwrap();
    fs::write(format!("{root}/real/file"), "old").unwrap();
    symlink("real/file", format!("{root}/link")).unwrap();
    symlink("real/new", format!("{root}/dangling")).unwrap();
    host.write(&format!("{root}/link"), b"new".to_vec()).await.unwrap();
    host.write(&format!("{root}/dangling"), b"made".to_vec()).await.unwrap();
    assert!(fs::symlink_metadata(format!("{root}/link")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(format!("{root}/real/file")).unwrap(), "new");
    assert_eq!(fs::read_to_string(format!("{root}/real/new")).unwrap(), "made");
    assert_eq!(names(&format!("{root}/real")), ["file", "new"]);
}

#[tokio::test]
async fn links_in_a_circle_are_an_error() {
    let (host, root, _alive) = place();
    symlink("b", format!("{root}/a")).unwrap();
    symlink("a", format!("{root}/b")).unwrap();
    for path in [format!("{root}/a"), format!("{root}/a/missing")] {
        assert!(host.real_path(&path).await.is_err(), "{path}");
        assert!(host.write(&path, Vec::new()).await.is_err(), "{path}");
    }
}

#[tokio::test]
async fn the_mode_of_an_existing_file_is_kept_and_a_new_one_follows_the_umask() {
    let (host, root, _alive) = place();
    let path = format!("{root}/script");
    for mode in [0o751, 0o600, 0o444] {
        fs::write(&path, "old").ok();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        host.write(&path, b"new".to_vec()).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
    }
    let (made, plain) = (format!("{root}/made"), format!("{root}/plain"));
    host.write(&made, Vec::new()).await.unwrap();
    fs::write(&plain, "").unwrap();
    assert_eq!(
        fs::metadata(&made).unwrap().mode(),
        fs::metadata(&plain).unwrap().mode()
    );
}

#[tokio::test]
async fn a_pipe_and_a_device_are_neither_read_nor_replaced() {
    let (host, root, _alive) = place();
    let pipe = format!("{root}/pipe");
    let c_path = CString::new(pipe.clone()).unwrap();
    // SAFETY: the path is a valid C string.
    assert_eq!(unsafe { libc::mkfifo(c_path.as_ptr(), 0o600) }, 0);
    for path in [pipe.as_str(), "/dev/null"] {
        assert!(
            matches!(host.read(path, 0, 10).await, Err(FileError::Io { .. })),
            "{path}"
        );
        assert!(
            matches!(host.write(path, b"x".to_vec()).await, Err(FileError::Io { .. })),
            "{path}"
        );
        assert_eq!(
            host.stat(path).await.unwrap().map(|stat| stat.kind),
            Some(FileKind::Other)
        );
    }
    assert_eq!(names(&root), ["pipe"]);
}

#[tokio::test]
async fn a_file_that_says_it_is_empty_is_read_to_its_end() {
    let status = LocalFiles.read("/proc/self/status", 0, 1_000_000).await.unwrap();
    assert!(status.starts_with(b"Name:"));
}

/// Mounts a tiny file system for `check`; without the right to mount, or on another system, the test is skipped.
async fn on_a_small_disk<F: Future<Output = ()>>(read_only: bool, check: impl FnOnce(LocalFiles, String) -> F) {
    let (host, root, _alive) = place();
    let (kind, target, options) = (c"tmpfs", CString::new(root.clone()).unwrap(), c"size=64k");
    let mount = |flags| {
        // SAFETY: all pointers are valid C strings for the time of the call.
        unsafe {
            libc::mount(
                kind.as_ptr(),
                target.as_ptr(),
                kind.as_ptr(),
                flags,
                options.as_ptr().cast(),
            )
        }
    };
    if mount(0) != 0 {
        println!("skipped: no right to mount a small disk here");
        return;
    }
    fs::write(format!("{root}/file"), "old").unwrap();
    if read_only {
        assert_eq!(mount(libc::MS_REMOUNT | libc::MS_RDONLY), 0);
    }
    check(host, root).await;
    // SAFETY: as above.
    unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) };
}

#[tokio::test]
async fn a_full_disk_keeps_the_old_file_and_leaves_nothing() {
    on_a_small_disk(false, |host, root| async move {
        let path = format!("{root}/file");
        let written = host.write(&path, vec![b'x'; 1_000_000]).await;
        assert!(matches!(written, Err(FileError::NoSpace { .. })), "{written:?}");
        let below = host.write(&format!("{root}/a/b/file"), vec![b'x'; 1_000_000]).await;
        assert!(matches!(below, Err(FileError::NoSpace { .. })), "{below:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(&root), ["file"]);
    })
    .await;
}

#[tokio::test]
async fn a_read_only_disk_is_a_matter_of_rights() {
    on_a_small_disk(true, |host, root| async move {
        let path = format!("{root}/file");
        let written = host.write(&path, b"new".to_vec()).await;
        assert!(matches!(written, Err(FileError::Permission { .. })), "{written:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    })
    .await;
}

#[test]
fn failures_are_told_by_what_can_be_done() {
    let told = |code| file_error("/p", &io::Error::from_raw_os_error(code));
    assert!(matches!(told(libc::ENOSPC), FileError::NoSpace { .. }));
    assert!(matches!(told(libc::EDQUOT), FileError::NoSpace { .. }));
    assert!(matches!(told(libc::EROFS), FileError::Permission { .. }));
    assert!(matches!(told(libc::EACCES), FileError::Permission { .. }));
    assert!(matches!(told(libc::EISDIR), FileError::IsDirectory { .. }));
    assert!(matches!(told(libc::ENOENT), FileError::NotFound { .. }));
    assert!(matches!(told(libc::EIO), FileError::Io { .. }));
}
