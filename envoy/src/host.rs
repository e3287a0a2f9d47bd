//! Calls to Envoy that the SDK does not offer, or only with a panic, which would end the worker's
//! virtual machine.

use std::panic::Location;
use std::time::{Duration, UNIX_EPOCH};

use proxy_wasm::hostcalls;
use proxy_wasm::types::{BufferType, LogLevel};

/// What Envoy's calls return when they worked.
const OK: u32 = 0;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn proxy_set_buffer_bytes(
        buffer: BufferType,
        start: usize,
        size: usize,
        data: *const u8,
        data_size: usize,
    ) -> u32;
    fn proxy_get_buffer_bytes(
        buffer: BufferType,
        start: usize,
        size: usize,
        data: *mut *mut u8,
        data_size: *mut usize,
    ) -> u32;
    fn proxy_get_shared_data(
        key: *const u8,
        key_size: usize,
        data: *mut *mut u8,
        data_size: *mut usize,
        version: *mut u32,
    ) -> u32;
    fn proxy_set_shared_data(
        key: *const u8,
        key_size: usize,
        data: *const u8,
        data_size: usize,
        version: u32,
    ) -> u32;
}

#[link(wasm_import_module = "wasi_snapshot_preview1")]
unsafe extern "C" {
    fn random_get(bytes: *mut u8, size: usize) -> u16;
}

/// Takes the bytes of a message that arrived, and leaves none; `None` if there is no body.
pub(crate) fn take_body(buffer: BufferType, size: usize) -> Vec<u8> {
    let bytes = get_body(buffer, size);
    if !bytes.is_empty() {
        put_body(buffer, size, &[]);
    }
    bytes
}

fn get_body(buffer: BufferType, size: usize) -> Vec<u8> {
    let mut data = std::ptr::null_mut();
    let mut length = 0;
    if size == 0 {
        return Vec::new();
    }
    // SAFETY: Envoy writes both results, and nothing else.
    let status = unsafe { proxy_get_buffer_bytes(buffer, 0, size, &raw mut data, &raw mut length) };
    if status != OK {
        return Vec::new();
    }
    taken(data, length)
}

/// Takes what Envoy wrote as the result of a successful call.
fn taken(data: *mut u8, length: usize) -> Vec<u8> {
    if data.is_null() {
        return Vec::new();
    }
    let bytes = std::ptr::slice_from_raw_parts_mut(data, length);
    // SAFETY: Envoy had the bytes allocated by the SDK, which makes a boxed slice of this length.
    unsafe { Box::from_raw(bytes) }.into_vec()
}

/// Replaces the first `size` bytes of a message; returns whether that worked.
pub(crate) fn put_body(buffer: BufferType, size: usize, bytes: &[u8]) -> bool {
    // SAFETY: Envoy reads the bytes during the call, and no more of them.
    let status = unsafe { proxy_set_buffer_bytes(buffer, 0, size, bytes.as_ptr(), bytes.len()) };
    status == OK
}

/// What the workers share under a key, and its version; `None` if there is nothing.
pub(crate) fn shared(key: &str) -> Option<(Vec<u8>, u32)> {
    let mut data = std::ptr::null_mut();
    let mut length = 0;
    let mut version = 0;
    // SAFETY: Envoy writes the three results, and nothing else.
    let status = unsafe {
        proxy_get_shared_data(
            key.as_ptr(),
            key.len(),
            &raw mut data,
            &raw mut length,
            &raw mut version,
        )
    };
    (status == OK).then(|| (taken(data, length), version))
}

/// Shares bytes under a key if it still has this version, or whatever it has with version 0; whether
/// that worked.
pub(crate) fn share(key: &str, bytes: &[u8], version: u32) -> bool {
    // SAFETY: Envoy reads key and bytes during the call, and no more of them.
    let status = unsafe {
        proxy_set_shared_data(
            key.as_ptr(),
            key.len(),
            bytes.as_ptr(),
            bytes.len(),
            version,
        )
    };
    status == OK
}

/// A random id: a prefix and `N` bytes in hex.
///
/// Ids distinguish exchanges and protect nothing, so one without randomness is harmless.
pub(crate) fn random_id<const N: usize>(prefix: &str) -> String {
    let hex = random_bytes::<N>()
        .into_iter()
        .map(|byte| format!("{byte:02x}"));
    hex.fold(prefix.to_owned(), |id, pair| id + &pair)
}

/// Random bytes.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // SAFETY: Envoy writes this many bytes.
    let _ = unsafe { random_get(bytes.as_mut_ptr(), N) };
    bytes
}

/// The time since 1970; zero if Envoy does not report it.
pub(crate) fn now() -> Duration {
    let time = hostcalls::get_current_time().ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.unwrap_or_default()
}

/// Writes a line to Envoy's log.
pub(crate) fn log(level: LogLevel, message: &str) {
    let _ = hostcalls::log(level, message);
}

/// Reports where the filter panicked. The message could quote a text, so it is not shown.
pub(crate) fn log_panic(location: Option<&Location<'_>>) {
    let place = location.map(ToString::to_string).unwrap_or_default();
    log(
        LogLevel::Critical,
        &format!("maskproxy panicked at {place}"),
    );
}
