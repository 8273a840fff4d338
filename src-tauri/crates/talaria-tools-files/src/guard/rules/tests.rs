use super::*;

fn homes() -> Homes {
    Homes {
        talaria: vec!["/home/ada/.talaria".into()],
        user: vec!["/home/ada/".into(), "/data/ada".into()],
    }
}

#[test]
fn devices_and_process_files_are_told_by_name() {
    for path in [
        "/dev/zero",
        "/dev/stdin",
        "/dev/fd/0",
        "/dev/sda",
        "/dev/nvme0n1p2",
        "/dev/watchdog1",
        "/proc/self/environ",
        "/proc/1/task/2/maps",
        "/proc/self/fd/1",
    ] {
        assert!(device(path).is_some(), "{path}");
    }
    for path in [
        "/dev/shm/notes.txt",
        "/dev/null",
        "/proc/cpuinfo",
        "/proc/self/status",
        "/proc/self/fd/3",
        "/home/dev/zero",
    ] {
        assert!(device(path).is_none(), "{path}");
    }
}

#[test]
fn secrets_are_not_read() {
    for path in [
        "/p/.env",
        "/p/.ENV.Local",
        "/p/.envrc",
        "/home/ada/.talaria/auth.json",
        "/home/ada/.talaria/mcp-tokens/x",
    ] {
        assert!(read_denied(path, &homes()).is_some(), "{path}");
    }
    for path in [
        "/p/.env.example",
        "/p/env",
        "/home/ada/.talaria/config.yaml",
        "/p/auth.json",
        "/home/ada/.talaria2/auth.json",
    ] {
        assert!(read_denied(path, &homes()).is_none(), "{path}");
    }
}

#[test]
fn protected_files_are_not_written() {
    for path in [
        "/etc/hosts",
        "/etc",
        "/sys/x",
        "/dev/sda",
        "/var/run/docker.sock",
        "/home/ada/.ssh/config",
        "/home/ada/.ssh",
        "/data/ada/.bashrc",
        "/home/ada/.config/gh/hosts.yml",
        "/home/ada/.talaria/config.yaml",
        "/home/ada/.talaria/cron/jobs.json",
        "/private/var/db/x",
    ] {
        assert!(write_denied(path, &homes()).is_some(), "{path}");
    }
    for path in [
        "/etcetera/x",
        "/dev/null",
        "/private/var/folders/ab/T/x",
        "/home/ada/.sshx",
        "/home/ada/p/.ssh/x",
        "/home/ada/p/.env",
        "/home/ada/.talaria/skills/x.md",
    ] {
        assert!(write_denied(path, &homes()).is_none(), "{path}");
    }
}
