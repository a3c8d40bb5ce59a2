//! Tests of the console as a whole.

use crate::Harness;

#[test]
fn look() {
    for (w, h) in [(80, 24), (120, 40), (200, 60)] {
        let mut harness = Harness::sample(w, h, "default").unwrap();
        println!("{}", harness.text());
        for keys in ["g c", "g b", "e", "g w", "g p"] {
            harness.press(keys);
            println!("{}", harness.text());
        }
    }
}
