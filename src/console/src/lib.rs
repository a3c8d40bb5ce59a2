//! The terminal application: state, actions, panes.
//!
//! An event changes the `state` in `update`, which returns effects as values; `render` reads the
//! state and paints a frame. Only the runner acts on effects, and only `flybridge_ui::terminal`
//! touches the terminal, so everything between can be driven without either: see [`Harness`].
//!
//! The console needs one `kube::Client` of a control plane. Members are reached through its
//! cluster proxy.

mod action;
mod app;
mod catalog;
mod effect;
mod event;
mod explanation;
mod filter;
mod harness;
mod live;
mod options;
mod panes;
mod render;
mod rows;
mod runner;
mod sample;
mod scroll;
mod state;
mod update;

#[cfg(test)]
mod screens;
#[cfg(test)]
mod tests;

pub use app::{run, run_sample};
pub use catalog::CatalogError;
pub use harness::Harness;
pub use options::{Error, ExitReason, Options, Setup};
