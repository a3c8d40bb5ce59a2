//! End-to-end tests: the real binary, real ports, real clients; and the rules of the house.

mod house;
