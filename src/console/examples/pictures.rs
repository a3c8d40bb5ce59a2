//! Draws every pane over sample data: `cargo run -p flybridge-console --example pictures -- DIR`.

use std::path::PathBuf;

use flybridge_console::Harness;

type Step = fn(&mut Harness);

/// File name, title, and the keys that lead there.
const PICTURES: &[(&str, &str, Step)] = &[
    ("fleet", "The fleet at a glance", |_| {}),
    ("clusters", "Clusters, and why one is not ready", |h| {
        h.press("g c S");
    }),
    ("bindings", "Bindings: what is placed where", |h| {
        h.press("g b j");
    }),
    ("explain", "Why a binding is placed where it is", |h| {
        h.press("g b /").type_text("ledger-dep");
        h.press("enter e j");
    }),
    ("workloads", "Workloads of all members", |h| {
        h.press("g w /").type_text("payments|web");
        h.press("enter");
    }),
    ("pods", "Pods of all members", |h| {
        h.press("g p S");
    }),
    ("logs", "Logs of a pod in a member", |h| {
        h.press("g p l t");
    }),
    ("yaml", "Any object as YAML", |h| {
        h.press("g b j y");
    }),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    std::fs::create_dir_all(&folder)?;
    for (name, title, step) in PICTURES {
        let mut harness = Harness::sample(120, 36, "default")?;
        step(&mut harness);
        std::fs::write(folder.join(format!("{name}.svg")), harness.svg(title))?;
    }
    Ok(())
}
