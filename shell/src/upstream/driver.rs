//! Drives a connection, from its own task or from the exchange that waits for its bytes.
//!
//! The HTTP library hands over one chunk at a time. If only the connection's task did that, each
//! chunk would cost two task switches, and an exchange could not tell whether more has arrived.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Drives a connection. Clones drive the same one.
#[derive(Clone)]
pub(super) struct Driver(Arc<Mutex<Driven>>);

type Connection = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Driven {
    /// Gone once it has ended.
    connection: Option<Connection>,
    task: Waker,
}

impl Driver {
    /// Spawns the task of a connection, which lasts as long as the connection.
    pub(super) fn spawn(connection: impl Future<Output = ()> + Send + 'static) -> Self {
        let driver = Self(Arc::new(Mutex::new(Driven {
            connection: Some(Box::pin(connection)),
            task: Waker::noop().clone(),
        })));
        tokio::spawn(Task(driver.clone()));
        driver
    }

    /// Lets the connection do what it can do now.
    ///
    /// Its task checks again afterwards, so that the connection continues if nobody else drives it.
    pub(super) fn drive(&self, cx: &mut Context<'_>) {
        let mut driven = self.lock();
        // Its end is its task's to see.
        let _ = driven.poll(cx);
        driven.task.wake_by_ref();
    }

    fn lock(&self) -> MutexGuard<'_, Driven> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driven {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(connection) = &mut self.connection else {
            return Poll::Ready(());
        };
        let ended = connection.as_mut().poll(cx);
        if ended.is_ready() {
            self.connection = None;
        }
        ended
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

/// The task of a connection.
struct Task(Driver);

impl Future for Task {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut driven = self.0.lock();
        driven.task.clone_from(cx.waker());
        driven.poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::sync::mpsc::unbounded_channel;

    /// If the exchange that drove a connection kept its wake-ups, the connection would stall while
    /// that exchange waits for its client.
    #[tokio::test]
    async fn a_connection_continues_after_another_task_drove_it() {
        let (send, mut receive) = unbounded_channel();
        let (sender, mut received) = unbounded_channel();
        let driver = Driver::spawn(async move {
            while let Some(number) = receive.recv().await {
                let _ = sender.send(number);
            }
        });
        send.send(1).unwrap();
        let drive_once = poll_fn(|cx| {
            driver.drive(cx);
            Poll::Ready(received.try_recv().ok())
        });
        assert_eq!(drive_once.await, Some(1), "it is driven at once");

        send.send(2).unwrap();
        assert_eq!(received.recv().await, Some(2), "it goes on by itself");
        drop(send);
        assert_eq!(received.recv().await, None, "it ends");
    }
}
