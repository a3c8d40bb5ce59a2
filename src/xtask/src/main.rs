//! Developer commands: schemas, fixtures, pictures.

fn main() {}
