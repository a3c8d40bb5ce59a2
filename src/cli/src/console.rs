//! Opening the console on a control plane.

use std::io::{self, IsTerminal};

use anyhow::Result;

use crate::args::ConsoleArgs;
use crate::failure::{Failure, exit};
use crate::paths;
