//! What the store promises, on every engine.

#[cfg(test)]
mod commits;
#[cfg(test)]
mod engines;
#[cfg(test)]
mod files;
#[cfg(test)]
mod model;
#[cfg(test)]
mod views;
#[cfg(test)]
mod watches;
