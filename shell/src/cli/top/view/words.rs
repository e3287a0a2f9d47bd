//! Formats numbers and names.

use crate::cli::top::histogram::Quantile;

/// A time in the unit that suits it.
pub(super) fn span(quantile: Quantile) -> String {
    let seconds = quantile.seconds;
    let more = if quantile.is_least { "over " } else { "" };
    if seconds < 0.01 {
        format!("{more}{:.2} ms", seconds * 1000.0)
    } else if seconds < 1.0 {
        format!("{more}{:.0} ms", seconds * 1000.0)
    } else {
        format!("{more}{seconds:.1} s")
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
pub(super) fn uptime(seconds: f64) -> String {
    let minutes = seconds as u64 / 60;
    if minutes == 0 {
        return format!("{seconds:.0} s");
    }
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// A minute as bars, two seconds each.
pub(super) fn spark(counts: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let pairs: Vec<u64> = counts.chunks(2).map(|pair| pair.iter().sum()).collect();
    let most = pairs.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &u64| {
        let height = usize::try_from(count.saturating_mul(8).div_ceil(most)).unwrap_or(8);
        let bar = height.checked_sub(1).and_then(|height| BARS.get(height));
        bar.copied().unwrap_or(' ')
    };
    pairs.iter().map(bar).collect()
}

/// A text in lines of so many characters, all but the first indented. A longer word has a line of its own.
pub(super) fn wrapped(text: &str, indent: usize, width: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        let is_begun = !line.trim_start().is_empty();
        if is_begun && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// A name, cut to a number of characters.
pub(super) fn shortened(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    let kept = name.chars().take(width.saturating_sub(1));
    kept.chain(['…']).collect()
}

/// A bar as long as `count` is of `most`; whatever was counted shows.
pub(super) fn bar(count: u64, most: u64, room: usize) -> String {
    let room_wide = u64::try_from(room).unwrap_or_default();
    let length = count.saturating_mul(room_wide).div_ceil(most.max(1));
    "█".repeat(usize::try_from(length).unwrap_or_default().min(room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_beyond_the_last_bound_is_a_minimum() {
        let least = Quantile {
            seconds: 5.0,
            is_least: true,
        };
        assert_eq!(span(least), "over 5.0 s");
    }
}
