//! How long connections to the provider stay open that nobody uses. Time is tokio's, and passes at once.

use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, DuplexStream, duplex};
use tokio::time::{sleep, timeout};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// A second less than a connection may lie idle.
const ALMOST: Duration = Duration::from_secs(MAX_IDLE.as_secs() - 1);

/// A connection for one exchange at a time, and the provider's end of it.
async fn exclusive() -> (Exclusive, DuplexStream) {
    let (near, far) = duplex(4096);
    let (sender, connection) = http1::handshake(TokioIo::new(near)).await.unwrap();
    let driver = Driver::spawn(async {
        let _ = connection.await;
    });
    let lifeline = Lifeline::new(SECOND);
    let exclusive = Exclusive::new(sender, driver, ReplyStarted::default(), lifeline);
    (exclusive, far)
}

async fn multiplexed() -> (Multiplexed, DuplexStream) {
    let (near, far) = duplex(65_536);
    let shaken = http2::handshake(TokioExecutor::new(), TokioIo::new(near));
    let (sender, connection) = shaken.await.unwrap();
    tokio::spawn(connection);
    (Multiplexed::new(sender, Lifeline::new(SECOND)), far)
}

/// Whether the other end closed the connection.
async fn is_closed(far: &mut DuplexStream) -> bool {
    let mut read = Vec::new();
    timeout(SECOND / 10, far.read_to_end(&mut read))
        .await
        .is_ok()
}

/// Without traffic nobody returned a connection, so none was ever closed.
#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_after_90_seconds_without_any_traffic() {
    let pool = Pool::default();
    let (connection, mut far) = exclusive().await;
    pool.put(connection);
    sleep(ALMOST).await;
    pool.close_stale();
    assert!(!is_closed(&mut far).await);
    assert_eq!(pool.idle(), 1);
    sleep(SECOND).await;
    pool.close_stale();
    assert_eq!(pool.idle(), 0);
    assert!(is_closed(&mut far).await);
}

/// Other traffic meanwhile does not keep it open.
#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_after_90_seconds_under_traffic() {
    let pool = Pool::default();
    let (idle, mut far) = exclusive().await;
    pool.put(idle);
    let (mut busy, mut other) = exclusive().await;
    for _ in 0..10 {
        pool.put(busy);
        sleep(MAX_IDLE / 9).await;
        let Some(Sender::Http1(taken)) = pool.take() else {
            panic!("the one that was used last");
        };
        busy = taken;
    }
    pool.put(busy);
    assert_eq!(pool.idle(), 1, "closed when another came back");
    assert!(is_closed(&mut far).await && !is_closed(&mut other).await);
}

/// A connection that is too old is not used again, even if nothing has closed it yet.
#[tokio::test(start_paused = true)]
async fn a_connection_idle_for_90_seconds_is_not_reused() {
    let pool = Pool::default();
    let (connection, mut far) = exclusive().await;
    pool.put(connection);
    sleep(MAX_IDLE).await;
    assert!(pool.take().is_none());
    assert!(is_closed(&mut far).await);
}

#[tokio::test(start_paused = true)]
async fn a_shared_connection_is_closed_90_seconds_after_its_last_exchange() {
    let pool = Pool::default();
    let (connection, mut far) = multiplexed().await;
    pool.share(&connection);
    let (sender, place) = connection.enter();
    drop((connection, sender));
    sleep(2 * MAX_IDLE).await;
    pool.close_stale();
    assert!(pool.is_multiplexed(), "an exchange is on it");
    drop(place);
    sleep(ALMOST).await;
    pool.close_stale();
    assert!(pool.is_multiplexed());
    sleep(SECOND).await;
    pool.close_stale();
    assert!(pool.is_empty());
    assert!(is_closed(&mut far).await);
}
