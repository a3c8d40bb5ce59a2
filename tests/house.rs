//! The rules of the house that a compiler does not hold: layers, owners, sizes, names.

mod layers;
mod tidy;
