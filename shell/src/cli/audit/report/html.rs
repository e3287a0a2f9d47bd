//! A report as one self-contained HTML file.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Report;
use super::page::Table;
use crate::cli::audit::entry::printable;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>maskproxy audit report</title>
<style>
:root { --line: #d0d7de; --soft: #57606a; --bar: #b6d4fe; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #9da7b1; --bar: #1f4b82; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); }
.notice { border-left: 4px solid #d4a72c; padding-left: .75rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { overflow-wrap: normal; } th:not(.count) { min-width: 8rem; }
.count { text-align: right; font-variant-numeric: tabular-nums; }
td.count { white-space: nowrap; background: linear-gradient(to left, var(--bar) var(--share), transparent var(--share)); }
</style>
</head>
<body>
<main>
<h1>maskproxy audit report</h1>
"#;

/// Writes a report as HTML.
///
/// # Errors
/// When the output can't be written.
pub(in crate::cli::audit) fn html(report: &Report, mut out: impl Write) -> io::Result<()> {
    let mut page = HEAD.to_owned();
    element(&mut page, "<p>", &report.sentence(), "</p>\n");
    element(&mut page, "<p class=\"soft\">", &report.span(), "</p>\n");
    for notice in report.notices() {
        element(&mut page, "<p class=\"notice\">", &notice, "</p>\n");
    }
    for table in report.tables() {
        section(&mut page, &table);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    out.write_all(page.as_bytes())?;
    out.flush()
}

fn section(page: &mut String, table: &Table) {
    element(page, "<section>\n<h2>", table.title, "</h2>\n");
    if let Some(hint) = table.hint {
        element(page, "<p class=\"soft\">", hint, "</p>\n");
    }
    page.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for name in &table.names {
        element(page, "<th scope=\"col\">", name, "</th>");
    }
    for count in &table.counts {
        element(page, "<th scope=\"col\" class=\"count\">", count, "</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for name in &row.names {
            element(page, "<td>", name, "</td>");
        }
        for (column, count) in row.counts.iter().enumerate() {
            let most = table.rows.iter().filter_map(|row| row.counts.get(column));
            let most = most.copied().max().unwrap_or(0).max(1);
            let share = count.saturating_mul(100) / most;
            // Writing to a string can't fail.
            let _ = write!(
                page,
                "<td class=\"count\" style=\"--share:{share}%\">{count}</td>"
            );
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
    if table.left > 0 {
        let left = format!("and {} more (--format json has all)", table.left);
        element(page, "<p class=\"soft\">", &left, "</p>\n");
    }
    page.push_str("</section>\n");
}

/// Adds a text between two tags. It is escaped, because paths in it come from clients.
fn element(page: &mut String, open: &str, text: &str, close: &str) {
    page.push_str(open);
    for character in printable(text).chars() {
        match character {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            other => page.push(other),
        }
    }
    page.push_str(close);
}
