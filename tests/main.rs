//! End-to-end tests: the real binary, real ports, real clients; and the rules of the house.

mod bad_input;
mod console;
mod durability;
mod house;
mod kubectl;
mod rig;
