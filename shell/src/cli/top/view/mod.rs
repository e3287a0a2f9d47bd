//! Draws a summary: two columns on a screen, one column on a page.

mod pen;
mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::summary::{Delay, Summary, Table, sum};
use pen::{Pen, wanted, without_room};
use words::{shortened, span, spark, uptime, wrapped};

/// From this width on there are two columns of tables.
const WIDE: u16 = 72;

/// The most rows of a table on a page.
const PAGE_ROWS: usize = 12;

/// Which key quits.
const QUIT: &str = "q quits";

/// The width of the names in front of the head's lines.
const LABEL: usize = 14;

/// The tables of the left column; the others are in the right one.
const LEFT: [&str; 2] = ["Masked values", "Not masked (policy shadow)"];

const TITLE: Style = Style::new().add_modifier(Modifier::BOLD);
const BAD: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
const DOUBTFUL: Style = Style::new().fg(Color::Yellow);
const PLAIN: Style = Style::new();

/// Draws a screen. What has no room is marked as cut.
pub(super) fn screen(summary: &Summary, area: Rect, buffer: &mut Buffer) {
    let mut pen = Pen { buffer, area };
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut notices = notices(summary, width);
    cut(&mut notices, height / 2);
    let below = height - notices.len();
    for (index, notice) in notices.iter().enumerate() {
        pen.line(below + index, notice, DOUBTFUL);
    }
    let head = head(summary);
    let top = head.len() + 1;
    let is_cut = below <= top;
    let shown = if is_cut {
        below.saturating_sub(1)
    } else {
        head.len()
    };
    for (index, (text, style)) in head.iter().take(shown.max(1)).enumerate() {
        pen.line(index, text, *style);
    }
    title(&mut pen, &head, width);
    if is_cut {
        if shown > 0 {
            pen.line(shown, "… more lines", PLAIN);
        }
        return;
    }
    let tables = summary.tables();
    if tables.is_empty() {
        let mut lines = wrapped(&nothing(summary), 0, width);
        cut(&mut lines, below - top);
        for (index, line) in lines.iter().enumerate() {
            pen.line(top + index, line, PLAIN);
        }
        return;
    }
    all_tables(&mut pen, tables, top, below - top, width);
}

/// Draws the first line again with the key that quits, if there is room for both.
fn title(pen: &mut Pen<'_>, head: &[(String, Style)], width: usize) {
    let room = width.saturating_sub(QUIT.len() + 1);
    if let Some((title, style)) = head.first().filter(|_| room > QUIT.len()) {
        let title = shortened(title, room);
        pen.line(0, &format!("{title:<room$} {QUIT}"), *style);
    }
}

/// Draws tables into so many lines, and says how many have no room.
fn all_tables(pen: &mut Pen<'_>, tables: Vec<Table<'_>>, top: usize, lines: usize, width: usize) {
    let is_wide = pen.area.width >= WIDE;
    let (left, right): (Vec<_>, Vec<_>) = tables
        .into_iter()
        .partition(|table| !is_wide || LEFT.contains(&table.title));
    let left_out = |lines| without_room(&left, lines) + without_room(&right, lines);
    let mut height = lines;
    if left_out(lines) > 0 {
        height -= 1;
        let more = format!("… {} more tables", left_out(height));
        pen.line(top + height, &more, PLAIN);
    }
    if !is_wide {
        return pen.tables(&left, top, height, 0, width);
    }
    let half = width / 2;
    pen.tables(&left, top, height, 0, half.saturating_sub(1));
    pen.tables(
        &right,
        top,
        height,
        half + 1,
        width.saturating_sub(half + 1),
    );
}

/// A page of plain text, so many columns wide.
pub(super) fn page(summary: &Summary, columns: u16) -> String {
    let width = usize::from(columns);
    let (head, notices, tables) = (head(summary), notices(summary, width), summary.tables());
    let rows = tables.iter().map(|table| wanted(table).min(PAGE_ROWS + 2));
    let table_rows = rows.sum::<usize>().max(1);
    let height = head.len() + 1 + table_rows + notices.len();
    let area = Rect::new(0, 0, columns, u16::try_from(height).unwrap_or(u16::MAX));
    let mut buffer = Buffer::empty(area);
    let mut pen = Pen {
        buffer: &mut buffer,
        area,
    };
    for (index, (text, style)) in head.iter().enumerate() {
        pen.line(index, text, *style);
    }
    let top = head.len() + 1;
    if tables.is_empty() {
        pen.line(top, &nothing(summary), PLAIN);
    }
    pen.tables(&tables, top, table_rows, 0, width);
    for (index, notice) in notices.iter().enumerate() {
        pen.line(top + table_rows + index, notice, DOUBTFUL);
    }
    text_of(&buffer)
}

/// The content of a buffer, without trailing blanks and blank lines at the end.
fn text_of(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let rows = buffer.content.chunks(width);
    let mut text = String::new();
    for row in rows {
        let line: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let end = text.trim_end().len();
    text.truncate(end);
    text + "\n"
}

/// The lines above the tables.
fn head(summary: &Summary) -> Vec<(String, Style)> {
    let counters = &summary.counters;
    let line = |label: &str, text: String| format!("{label:<LABEL$}{text}");
    let per_second = summary.per_second.map_or(String::new(), |rate| {
        format!(", {rate:.1}/s  {}", spark(&summary.last_minute))
    });
    let streams = summary
        .streams
        .map_or(String::new(), |streams| format!(", {streams} streamed"));
    let seen = match sum(&counters.seen) {
        0 => String::new(),
        seen => format!(", {seen} found but not masked"),
    };
    let worry = |is_bad: bool, style| if is_bad { style } else { PLAIN };
    let title = format!(
        "maskproxy {}  {}  up {}",
        counters.version,
        summary.url,
        uptime(summary.uptime)
    );
    vec![
        (title, TITLE),
        (
            line("Requests", format!("{}{per_second}", counters.requests)),
            PLAIN,
        ),
        (
            line("In flight", format!("{}{streams}", counters.under_way)),
            PLAIN,
        ),
        (line("Latency added", delay(summary.added)), PLAIN),
        (line("Replies", delay(summary.replies)), PLAIN),
        (
            line(
                "Values",
                format!(
                    "{} masked{seen}, {} restored, {} unknown tokens",
                    sum(&counters.masked),
                    counters.restored,
                    counters.unknown_tokens
                ),
            ),
            PLAIN,
        ),
        (
            line(
                "Unrouted",
                format!(
                    "{} passed, {} with an unmasked body, {} blocked",
                    counters.passed,
                    summary.unmasked(),
                    counters.blocked
                ),
            ),
            worry(summary.unmasked() > 0, DOUBTFUL),
        ),
        (
            line("Errors", summary.errors().to_string()),
            worry(summary.errors() > 0, BAD),
        ),
    ]
}

/// What to do if nothing has passed yet.
fn nothing(summary: &Summary) -> String {
    format!(
        "No requests yet: set a client's base URL to {}",
        summary.url
    )
}

/// The notices, cut into lines.
fn notices(summary: &Summary, width: usize) -> Vec<String> {
    const BEGIN: &str = "notice: ";
    let notices = summary.notices.iter();
    let lines = notices.flat_map(|notice| wrapped(&format!("{BEGIN}{notice}"), BEGIN.len(), width));
    lines.collect()
}

/// Leaves so many lines, the last one marked if there were more.
fn cut(lines: &mut Vec<String>, most: usize) {
    let is_cut = lines.len() > most;
    lines.truncate(most);
    if let Some(last) = lines.last_mut().filter(|_| is_cut) {
        last.push_str(" …");
    }
}

/// Two quantiles, and of what time.
fn delay(delay: Delay) -> String {
    let (Some(p50), Some(p99)) = (delay.p50, delay.p99) else {
        return "-".to_owned();
    };
    let when = if delay.is_recent {
        "last minute"
    } else {
        "since the start"
    };
    format!("p50 {}, p99 {}  ({when})", span(p50), span(p99))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::top::counters::{Counters, Counts};
    use crate::cli::top::histogram::Quantile;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn counts(names: &[(&str, u64)]) -> Counts {
        let names = names.iter();
        names
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    }

    fn quantile(seconds: f64) -> Quantile {
        Quantile {
            seconds,
            is_least: false,
        }
    }

    fn summary() -> Summary {
        let delay = Delay {
            p50: Some(quantile(0.0006)),
            p99: Some(quantile(0.0123)),
            is_recent: true,
        };
        Summary {
            url: "http://127.0.0.1:8000".to_owned(),
            uptime: 8000.0,
            counters: Counters {
                version: "0.1.0".to_owned(),
                requests: 1234,
                under_way: 4,
                masked: counts(&[("EMAIL", 400), ("API_KEY", 3)]),
                restored: 390,
                passed: 12,
                errors: counts(&[("transform", 2)]),
                unmasked: counts(&[("json", 3)]),
                ..Counters::default()
            },
            per_second: Some(3.21),
            last_minute: vec![1; 60],
            streams: Some(2),
            added: delay,
            replies: delay,
            by_status: counts(&[("200", 1200), ("500", 34)]),
            by_route: counts(&[("/v1/messages", 1234)]),
            by_code: counts(&[("mask_invalid_request (NotJson)", 2)]),
            unmasked_paths: counts(&[("/v9/new", 3)]),
            notices: Vec::new(),
        }
    }

    fn drawn(summary: &Summary, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let frame = terminal.draw(|frame| screen(summary, frame.area(), frame.buffer_mut()));
        text_of(frame.unwrap().buffer)
    }

    #[test]
    fn a_terminal_of_80_by_24_shows_everything() {
        let shown = drawn(&summary(), 80, 24);
        for part in [
            "maskproxy 0.1.0  http://127.0.0.1:8000  up 2 h 13 min",
            "q quits\n",
            "Requests      1234, 3.2/s  ██████████████████████████████\n",
            "In flight     4, 2 streamed\n",
            "Latency added p50 0.60 ms, p99 12 ms  (last minute)\n",
            "Values        403 masked, 390 restored, 0 unknown tokens\n",
            "Unrouted      12 passed, 3 with an unmasked body, 0 blocked\n",
            "Errors        2\n",
            " EMAIL   400 ████████████████",
            " API_KEY   3 █",
            " /v1/messages 1234 ████████████████\n",
            " 200 1200 ████████████████\n",
            " mask_invalid_request (NotJson) 2",
            " /v9/new 3",
        ] {
            assert!(shown.contains(part), "{part}:\n{shown}");
        }
        assert!(shown.lines().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn every_terminal_size_is_drawn_and_omissions_are_counted() {
        let mut many = summary();
        many.by_route = (0..90)
            .map(|n| (format!("/v1/a-rather-long-path/{n}"), 9))
            .collect();
        for (width, height) in [(1, 1), (20, 5), (40, 12), (71, 24), (80, 10), (300, 200)] {
            drawn(&many, width, height);
        }
        // Lines were cut without a mark.
        many.notices = vec!["a notice that is longer than a line of it".to_owned()];
        let narrow = drawn(&many, 40, 24);
        for line in [
            "maskproxy 0.1.0  http://127.0.0… q quits\n",
            "Unrouted      12 passed, 3 with an unma…\n",
            "notice: a notice that is longer than a\n        line of it\n",
        ] {
            assert!(narrow.contains(line), "{line}:\n{narrow}");
        }
        assert!(drawn(&many, 40, 15).contains(" more tables\nnotice: "));
        let small = drawn(&many, 20, 5);
        let lines: Vec<_> = small.lines().collect();
        assert_eq!(lines[0], "maskproxy 0… q quits");
        assert_eq!(
            lines[2..],
            ["… more lines", "notice: a notice", "        that is …"]
        );
        assert_eq!(drawn(&many, 20, 1), "maskproxy 0… q quits\n");
        many.notices.clear();
        // The lines were shared among all tables, so that none had enough of them, and the screen stayed empty.
        let low = drawn(&many, 50, 15);
        assert!(low.contains("Masked values\n EMAIL   400"), "{low}");
        assert!(low.contains("… 3 more tables"), "{low}");
        let shown = drawn(&many, 80, 24);
        assert!(
            shown.contains(" more\n") && shown.contains("/v9/new"),
            "{shown}"
        );
        let page = page(&many, 80);
        assert!(
            page.contains(" … 79 more\n\n") && page.contains("/v9/new"),
            "{page}"
        );
    }

    #[test]
    fn a_page_has_one_column_and_ends_with_the_notices() {
        let mut summary = summary();
        summary.notices = vec!["a notice that is longer than one line of a page, ".repeat(3)];
        let page = page(&summary, 80);
        assert!(page.contains("\nMasked values\n EMAIL   400 █"), "{page}");
        assert!(
            page.contains("\n\nnotice: a notice") && page.contains("\n        "),
            "{page}"
        );
        assert!(!page.contains("q quits"), "{page}");
        let narrow = super::page(&summary, 40);
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 40),
            "{narrow}"
        );
    }

    #[test]
    fn an_idle_proxy_shows_what_to_do() {
        let mut summary = summary();
        summary.counters = Counters::default();
        for counts in [
            &mut summary.by_status,
            &mut summary.by_route,
            &mut summary.by_code,
            &mut summary.unmasked_paths,
        ] {
            counts.clear();
        }
        let none = Delay {
            p50: None,
            p99: None,
            is_recent: false,
        };
        summary.added = none;
        for shown in [page(&summary, 80), drawn(&summary, 80, 24)] {
            assert!(shown.contains("set a client's base URL to http"), "{shown}");
            assert!(shown.contains("Latency added -\n"), "{shown}");
        }
        let narrow = drawn(&summary, 40, 24);
        assert!(
            narrow.contains("base URL\nto http://127.0.0.1:8000\n"),
            "{narrow}"
        );
    }

    /// A client makes up the paths that it asks for.
    #[test]
    fn control_characters_in_names_are_escaped() {
        let mut summary = summary();
        summary.unmasked_paths = counts(&[("/\u{1b}[2J\u{202e}x", 1)]);
        let shown = drawn(&summary, 80, 24) + &page(&summary, 80);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
        assert!(shown.contains(r"/\u{1b}[2J\u{202e}x"), "{shown}");
    }
}
