//! The console over sample data, in the terminal it is started in:
//! `cargo run -p flybridge-console --example preview [-- THEME [KEYMAP]]`.

use flybridge_base::Clock;
use flybridge_console::{Setup, run_sample};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let setup = Setup {
        context_name: "sample".to_owned(),
        plane_label: "in process".to_owned(),
        in_process: true,
        theme: arguments.next(),
        keymap: arguments.next(),
        ..Setup::default()
    };
    run_sample(setup, Clock::system()).await?;
    Ok(())
}
