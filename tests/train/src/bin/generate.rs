//! Prints generated records: `generate train|test SEED PER_FAMILY`, one JSON object a line.

use train::generate::{Half, records};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [half, seed, per_family] = arguments.as_slice() else {
        panic!("usage: generate train|test SEED PER_FAMILY");
    };
    let half = if half == "test" {
        Half::Test
    } else {
        Half::Train
    };
    let number = |text: &String| text.parse::<usize>().expect("a number");
    for record in records(half, number(seed) as u64, number(per_family)) {
        println!("{}", serde_json::to_string(&record).expect("a record"));
    }
}
