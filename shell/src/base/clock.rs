//! The current time, and time formats.

use std::cell::RefCell;
use std::fmt;
use std::io::Write;
use std::time::Duration;

use jiff::Timestamp;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

/// Now, in milliseconds since the epoch.
pub(crate) fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

/// Appends a time, in milliseconds since the epoch, as ISO 8601 in UTC.
pub(crate) fn iso(line: &mut Vec<u8>, time: i64) {
    thread_local! {
        /// The second of the last line, which often is that of the next.
        static LAST: RefCell<(i64, Vec<u8>)> = const { RefCell::new((i64::MIN, Vec::new())) };
    }
    LAST.with_borrow_mut(|(second, text)| {
        if *second != time.div_euclid(1000) {
            *second = time.div_euclid(1000);
            text.clear();
            let of_second = Timestamp::from_second(*second).unwrap_or_default();
            // Writing to a vector can't fail.
            let _ = write!(text, "{}", of_second.strftime("%Y-%m-%dT%H:%M:%S."));
        }
        line.extend_from_slice(text);
    });
    let [hundreds, tens, ones] = three_digits(time.rem_euclid(1000).unsigned_abs());
    line.extend_from_slice(&[hundreds, tens, ones, b'Z']);
}

/// Appends a duration in milliseconds with three decimals.
pub(crate) fn milliseconds(line: &mut Vec<u8>, took: Duration) {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    thousandths(line, micros);
}

/// Appends a number of thousandths with its three decimals.
pub(crate) fn thousandths(line: &mut Vec<u8>, number: u64) {
    line.extend_from_slice(itoa::Buffer::new().format(number / 1000).as_bytes());
    let [hundreds, tens, ones] = three_digits(number % 1000);
    line.extend_from_slice(&[b'.', hundreds, tens, ones]);
}

/// The last three digits of a number.
fn three_digits(number: u64) -> [u8; 3] {
    let digit = |place: u64| b'0' + (number / place % 10).to_le_bytes()[0];
    [digit(100), digit(10), digit(1)]
}

/// The times of the lines of `tracing`.
#[derive(Debug)]
pub(crate) struct Clock;

impl FormatTime for Clock {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(24);
        iso(&mut text, now());
        writer.write_str(&String::from_utf8_lossy(&text))
    }
}
