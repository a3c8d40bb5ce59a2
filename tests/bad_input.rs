//! Wrong use of the command line: a clear message and its own exit code each.

use std::net::TcpListener;
use std::process::Output;
use std::time::Duration;

use flybridge_testkit::process::{HeadlessPlane, run};
use flybridge_testkit::pty::{Launch, Pty};

use crate::rig::binary;

const DATA_DIR: i32 = 4;
const ADDRESS: i32 = 5;
const TERMINAL: i32 = 6;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("bound").to_string();
    let output = run(
        binary(),
        &["demo", "--no-console", "--listen", &address],
        &[],
    )
    .expect("runs");
    assert_eq!(output.status.code(), Some(ADDRESS), "{}", stderr(&output));
    assert!(stderr(&output).contains(&address), "{}", stderr(&output));
    assert!(stderr(&output).contains("hint:"));
}

#[test]
fn a_data_directory_in_use_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().display().to_string();
    let args = ["serve", "--data-dir", &path, "--listen", "127.0.0.1:0"];
    let plane = HeadlessPlane::start(binary(), &args).expect("the first serve starts");
    let output = run(binary(), &args, &[]).expect("runs");
    assert_eq!(output.status.code(), Some(DATA_DIR), "{}", stderr(&output));
    assert!(stderr(&output).contains(&path), "{}", stderr(&output));
    assert!(
        stderr(&output).contains(&plane.pid().to_string()),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_data_directory_that_cannot_be_written_is_named() {
    // A file where the directory should be refuses root too, which a read-only mode does not.
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = file.path().join("plane").display().to_string();
    let args = ["serve", "--data-dir", &path, "--listen", "127.0.0.1:0"];
    let output = run(binary(), &args, &[]).expect("runs");
    assert_eq!(output.status.code(), Some(DATA_DIR), "{}", stderr(&output));
    assert!(stderr(&output).contains(&path), "{}", stderr(&output));
}

#[test]
fn a_pipe_is_not_a_terminal() {
    let output = run(binary(), &["demo"], &[]).expect("runs");
    assert_eq!(output.status.code(), Some(TERMINAL), "{}", stderr(&output));
    assert!(stderr(&output).contains("terminal"), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("--no-console"),
        "{}",
        stderr(&output)
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_dumb_terminal_is_refused() {
    let mut pty = Pty::start(&Launch {
        program: binary(),
        args: &["demo", "--clusters", "1"],
        environment: &[("TERM", "dumb")],
        size: (80, 24),
    })
    .expect("starts");
    assert_eq!(
        pty.wait_for_exit(Duration::from_secs(30)),
        TERMINAL.unsigned_abs()
    );
    assert!(pty.screen().contains("TERM"), "{}", pty.screen());
}

#[test]
fn wrong_arguments_exit_with_two() {
    for args in [&["demo", "--clusters", "0"][..], &["launch"], &["get"]] {
        let output = run(binary(), args, &[]).expect("runs");
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            stderr(&output)
        );
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn no_kubeconfig_is_not_found() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("none").display().to_string();
    let output = run(binary(), &["kubeconfig", "--data-dir", &path], &[]).expect("runs");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("hint:"));
}
