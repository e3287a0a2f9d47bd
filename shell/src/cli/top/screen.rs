//! Redraws the terminal each second, until a key or signal ends it.

use std::io::{self, IsTerminal};
use std::mem::ManuallyDrop;
use std::process;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::EnterAlternateScreen;
use ratatui::style::Style;
use ratatui::{DefaultTerminal, TerminalOptions, Viewport};
use tokio::runtime::Runtime;

use super::size;
use super::summary::Summary;
use super::view;
use super::watch::Watch;
use crate::base::io_error;
use crate::cli::Failure;
use crate::system::signals::Signals;
use crate::system::terminal::has_hung_up;

/// How often the service is polled.
const PERIOD: Duration = Duration::from_secs(1);

/// How long a key may wait.
const GLANCE: Duration = Duration::from_millis(100);

/// How long the screen may take to end.
const GRACE: Duration = Duration::from_secs(1);

/// Shows a service until the user, or a signal, ends it.
///
/// # Errors
/// When the service does not answer at first, or the terminal can't be drawn on.
pub(super) fn show(runtime: Runtime, mut watch: Watch, colours: bool) -> Result<(), Failure> {
    let first = runtime.block_on(watch.poll()).map_err(Failure::new)?;
    let (sender, summaries) = sync_channel(1);
    // Asked before anything is drawn: a terminal that is gone by then looks like none.
    let reads_terminal = io::stdin().is_terminal();
    thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || {
            runtime.block_on(follow(watch, sender, reads_terminal));
            // Reading keys from a terminal that is gone never returns.
            thread::sleep(GRACE);
            restore();
            process::exit(0);
        })?;
    let unusable = |error: io::Error| Failure::new(io_error::in_words(&error));
    // Dropped, it would print that it can't show the cursor, and so panic where the terminal is gone.
    let mut terminal = ManuallyDrop::new(terminal().map_err(unusable)?);
    let shown = draw_on(&mut terminal, first, &summaries, colours);
    let _ = terminal.show_cursor();
    restore();
    shown.map_err(unusable)
}

fn terminal() -> io::Result<DefaultTerminal> {
    let Some(area) = size::of_unknown_terminal() else {
        return ratatui::try_init();
    };
    let viewport = Viewport::Fixed(area);
    let terminal = ratatui::try_init_with_options(TerminalOptions { viewport })?;
    execute!(io::stdout(), EnterAlternateScreen)?;
    Ok(terminal)
}

/// Gives the terminal back. One that is gone needs nothing.
fn restore() {
    let _ = ratatui::try_restore();
}

/// Sends a summary each second, until nobody reads it, a signal arrives, or the terminal is gone.
async fn follow(mut watch: Watch, summaries: SyncSender<Summary>, reads_terminal: bool) {
    let Ok(mut signals) = Signals::catch_all() else {
        return;
    };
    loop {
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            _ = signals.next() => return,
        }
        let summary = match watch.poll().await {
            Ok(summary) => summary,
            Err(why) => watch.without_service(&why),
        };
        // One that was not drawn yet is soon followed by the next.
        let sent = summaries.try_send(summary);
        if matches!(sent, Err(TrySendError::Disconnected(_))) || reads_terminal && has_hung_up() {
            return;
        }
    }
}

fn draw_on(
    terminal: &mut DefaultTerminal,
    mut summary: Summary,
    summaries: &Receiver<Summary>,
    colours: bool,
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| {
            let area = frame.area();
            view::screen(&summary, area, frame.buffer_mut());
            if !colours {
                without_colours(frame.buffer_mut());
            }
        })?;
        loop {
            // A change of the window's size is an event, too.
            if event::poll(GLANCE)? {
                if is_end(&event::read()?) {
                    return Ok(());
                }
                break;
            }
            match summaries.try_recv() {
                Ok(newer) => {
                    summary = newer;
                    break;
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
        }
    }
}

fn without_colours(buffer: &mut ratatui::buffer::Buffer) {
    for cell in &mut buffer.content {
        let modifier = cell.modifier;
        cell.set_style(Style::reset().add_modifier(modifier));
    }
}

/// Whether a key ends it: q, Escape, Ctrl-C.
fn is_end(event: &Event) -> bool {
    let Event::Key(KeyEvent {
        code,
        modifiers,
        kind: KeyEventKind::Press,
        ..
    }) = event
    else {
        return false;
    };
    match code {
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => true,
        KeyCode::Char('c') => modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}
