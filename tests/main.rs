//! End-to-end tests: the real binary, real ports, real clients; and the rules of the house.
#![expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and say what they skip"
)]

mod bad_input;
mod console;
mod durability;
mod get;
mod house;
mod kubectl;
mod rig;
mod samples;
