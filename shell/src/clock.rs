//! The time at which a line is written.

use std::cell::RefCell;
use std::fmt;
use std::io::Write;

use jiff::Timestamp;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

/// Appends the time as ISO 8601 in UTC, to the millisecond. Returns it in milliseconds since the epoch.
pub(crate) fn now(line: &mut Vec<u8>) -> i64 {
    thread_local! {
        /// The time of the last line, which often is that of the next.
        static LAST: RefCell<(i64, Vec<u8>)> = const { RefCell::new((i64::MIN, Vec::new())) };
    }
    let now = Timestamp::now();
    LAST.with_borrow_mut(|(millisecond, text)| {
        if *millisecond != now.as_millisecond() {
            *millisecond = now.as_millisecond();
            text.clear();
            // Writing to a vector can't fail.
            let _ = write!(text, "{}", now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ"));
        }
        line.extend_from_slice(text);
        *millisecond
    })
}

/// The same for the lines of `tracing`.
#[derive(Debug)]
pub(crate) struct Clock;

impl FormatTime for Clock {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(24);
        now(&mut text);
        writer.write_str(&String::from_utf8_lossy(&text))
    }
}
