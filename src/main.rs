//! The `flybridge` binary: everything lives in `flybridge-cli`.

fn main() {}
