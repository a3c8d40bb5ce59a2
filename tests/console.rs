//! The console on a pseudo-terminal: start, move, filter, explain, logs, resize, and every way out.

use std::time::Duration;

use flybridge_testkit::process::run;
use flybridge_testkit::pty::{Launch, Pty};

use crate::rig::{PATIENCE, binary};

fn start(size: (u16, u16), args: &[&str]) -> Pty {
    let mut all = vec!["demo", "--clusters", "3"];
    all.extend(args);
    let pty = Pty::start(&Launch {
        program: binary(),
        args: &all,
        environment: &[],
        size,
    })
    .expect("starts");
    // What is typed before the terminal is in raw mode is cooked.
    pty.wait(PATIENCE, |screen| {
        screen.contains("FLYBRIDGE") || screen.contains("80x24")
    });
    pty
}

fn assert_restored(pty: &Pty) {
    assert!(
        !pty.is_in_full_screen(),
        "the terminal was left in full screen:\n{}",
        pty.screen()
    );
}

fn quit(mut pty: Pty) {
    pty.press(":q\r").expect("typed");
    assert_eq!(pty.wait_for_exit(PATIENCE), 0);
    assert_restored(&pty);
}

#[test]
fn walks_from_clusters_to_logs() {
    let mut pty = start((120, 40), &[]);
    pty.press(":clusters\r").expect("typed");
    pty.wait(PATIENCE, |screen| screen.matches("True").count() >= 3);
    pty.press(":bindings\r").expect("typed");
    pty.wait(PATIENCE, |screen| screen.contains("Deployment"));
    pty.press("e").expect("typed");
    pty.wait(PATIENCE, |screen| screen.contains("AFFINITY"));
    pty.press("q").expect("typed");
    pty.wait(PATIENCE, |screen| !screen.contains("AFFINITY"));
    pty.press(":pods\r").expect("typed");
    pty.wait(PATIENCE, |screen| {
        screen.contains("CLUSTER") && screen.contains("Running")
    });
    pty.press("l").expect("typed");
    pty.wait(PATIENCE, |screen| screen.to_lowercase().contains("logs"));
    pty.press("q").expect("typed");
    quit(pty);
}

#[test]
fn filters_and_shows_help() {
    let mut pty = start((80, 24), &[]);
    pty.press(":clusters\r").expect("typed");
    pty.wait(PATIENCE, |screen| screen.matches("True").count() >= 3);
    pty.press("/zzz\r").expect("typed");
    pty.wait(PATIENCE, |screen| screen.matches("True").count() == 0);
    pty.press("\x1b").expect("typed");
    pty.wait(PATIENCE, |screen| screen.matches("True").count() >= 3);
    pty.press("?").expect("typed");
    pty.wait(PATIENCE, |screen| screen.contains("Keys in Clusters"));
    pty.press("q").expect("typed");
    pty.wait(PATIENCE, |screen| screen.matches("True").count() >= 3);
    quit(pty);
}

#[test]
fn survives_resizing() {
    let mut pty = start((120, 40), &[]);
    pty.press(":clusters\r").expect("typed");
    pty.wait(PATIENCE, |screen| screen.contains("True"));
    pty.resize((20, 5)).expect("resized");
    pty.wait(PATIENCE, |screen| !screen.contains("REGION"));
    pty.resize((200, 60)).expect("resized");
    pty.wait(PATIENCE, |screen| {
        screen.contains("True") && screen.contains("REGION")
    });
    quit(pty);
}

#[test]
fn starts_on_a_tiny_terminal_and_says_so() {
    let pty = start((20, 5), &[]);
    pty.wait(PATIENCE, |screen| screen.contains("80x24"));
    quit(pty);
}

#[test]
fn restores_the_terminal_on_sigterm() {
    let mut pty = start((80, 24), &[]);
    pty.wait(PATIENCE, |screen| !screen.trim().is_empty());
    let pid = pty.pid().expect("running").to_string();
    run("kill".as_ref(), &["-TERM", &pid], &[]).expect("signalled");
    assert_eq!(pty.wait_for_exit(PATIENCE), 143);
    assert_restored(&pty);
}

#[test]
fn restores_the_terminal_after_a_panic() {
    let mut pty = Pty::start(&Launch {
        program: binary(),
        args: &["demo", "--clusters", "1"],
        environment: &[("FLYBRIDGE_PANIC_AFTER_FIRST_FRAME", "1")],
        size: (80, 24),
    })
    .expect("starts");
    let code = pty.wait_for_exit(Duration::from_secs(60));
    assert_ne!(code, 0);
    assert_restored(&pty);
    assert!(pty.screen().contains("error:"), "{}", pty.screen());
}
