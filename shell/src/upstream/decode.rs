//! Content codings of replies: which ones are requested, and how they are decoded.

use std::io::{self, Write};

use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue};

/// The largest window of a zstd frame, as a power of two: what RFC 9659 allows for HTTP.
const ZSTD_WINDOW_LOG: u32 = 23;

/// What one chunk of a reply may decode to, at most. A read brings 64 KB at most, which is a few
/// megabytes of any real reply; a hostile one could claim gigabytes.
const MAX_DECODED: usize = 64 << 20;

/// What the decoders of zstd and Brotli are given at a time, in encoded bytes: where the rules are broken they drop
/// what all of it decodes to.
const SLICE: usize = 64;

/// Rewrites `Accept-Encoding` so that the provider is asked only for codings that can be decoded.
///
/// Codings that the client did not ask for are not added.
pub(crate) fn accepted(headers: &mut HeaderMap) {
    let mut values = headers.get_all(ACCEPT_ENCODING).iter();
    let Some(first) = values.next() else { return };
    let all_known = |value: &HeaderValue| elements(value).all(|element| is_known(name_of(element)));
    if values.next().is_none() && all_known(first) {
        return;
    }
    let kept: Vec<String> = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .flat_map(elements)
        .filter(|element| is_known(name_of(element)))
        .map(str::to_owned)
        .collect();
    let kept = if kept.is_empty() {
        HeaderValue::from_static("identity")
    } else {
        HeaderValue::from_str(&kept.join(", ")).unwrap_or(HeaderValue::from_static("identity"))
    };
    headers.insert(ACCEPT_ENCODING, kept);
}

fn elements(value: &HeaderValue) -> impl Iterator<Item = &str> {
    let text = value.to_str().unwrap_or("unreadable");
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn name_of(element: &str) -> &str {
    element.split(';').next().unwrap_or_default().trim()
}

fn is_known(name: &str) -> bool {
    name.eq_ignore_ascii_case("identity") || Coding::named(name).is_some()
}

/// A reply that can't be decoded: an unknown coding, or bytes that break its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undecodable;

impl From<io::Error> for Undecodable {
    fn from(_: io::Error) -> Self {
        Self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn named(name: &str) -> Option<Self> {
        let known = [
            ("gzip", Self::Gzip),
            ("x-gzip", Self::Gzip),
            ("deflate", Self::Deflate),
            ("br", Self::Brotli),
            ("zstd", Self::Zstd),
        ];
        let same = |(known, _): &&(&str, Self)| known.eq_ignore_ascii_case(name);
        known.iter().find(same).map(|(_, coding)| *coding)
    }
}

/// Decodes a reply, and delivers the content of each chunk at once.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// The coding that was applied last comes first.
    stages: Vec<Stage>,
    began: bool,
}

impl Decoder {
    /// The decoder for a reply with these headers; `None` when it is not encoded.
    ///
    /// # Errors
    /// [`Undecodable`] for a coding that is not known here.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Self>, Undecodable> {
        let mut stages = Vec::new();
        for name in headers.get_all(CONTENT_ENCODING).iter().flat_map(elements) {
            if name.eq_ignore_ascii_case("identity") {
                continue;
            }
            let coding = Coding::named(name).ok_or(Undecodable)?;
            stages.push(Stage::new(coding)?);
        }
        stages.reverse();
        let began = false;
        Ok((!stages.is_empty()).then_some(Self { stages, began }))
    }

    /// Decodes the next bytes: all that can be known from them, and whether they break the coding's rules behind that.
    /// The decoders of zstd and Brotli may keep what the last [`SLICE`] before the break hold.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> (Vec<u8>, Result<(), Undecodable>) {
        self.began |= !chunk.is_empty();
        let (mut bytes, mut result) = (chunk.to_vec(), Ok(()));
        for stage in &mut self.stages {
            let pushed = stage.push(&bytes);
            if pushed.is_err() {
                // Returns what it still holds, and fails again.
                let _ = stage.finish();
            }
            bytes = stage.take();
            result = result.and(pushed);
        }
        (bytes, result.map_err(Undecodable::from))
    }

    /// Checks that the reply did not break off in the middle of a coding.
    ///
    /// # Errors
    /// [`Undecodable`] when it did.
    pub(crate) fn finish(mut self) -> Result<(), Undecodable> {
        if self.began {
            self.stages.iter_mut().try_for_each(Stage::finish)?;
        }
        Ok(())
    }
}

/// What a chunk decodes to, up to a bound.
#[derive(Debug, Default)]
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_DECODED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One coding. Each decoder writes into the vector that it holds.
enum Stage {
    Gzip(flate2::write::MultiGzDecoder<Bounded>),
    /// `deflate` means the zlib format, but some servers send it raw; the first byte shows which.
    Deflate,
    DeflateZlib(flate2::write::ZlibDecoder<Bounded>),
    DeflateBare(flate2::write::DeflateDecoder<Bounded>),
    Brotli(Box<brotli_decompressor::DecompressorWriter<Bounded>>),
    Zstd(zstd::stream::zio::Writer<Bounded, zstd::stream::raw::Decoder<'static>>),
}

impl Stage {
    fn new(coding: Coding) -> io::Result<Self> {
        Ok(match coding {
            Coding::Gzip => Self::Gzip(flate2::write::MultiGzDecoder::new(Bounded::default())),
            Coding::Deflate => Self::Deflate,
            Coding::Brotli => Self::Brotli(Box::new(brotli_decompressor::DecompressorWriter::new(
                Bounded::default(),
                16 << 10,
            ))),
            Coding::Zstd => {
                let mut decoder = zstd::stream::raw::Decoder::new()?;
                let window = zstd::zstd_safe::DParameter::WindowLogMax(ZSTD_WINDOW_LOG);
                decoder.set_parameter(window)?;
                Self::Zstd(zstd::stream::zio::Writer::new(Bounded::default(), decoder))
            }
        })
    }

    fn push(&mut self, chunk: &[u8]) -> io::Result<()> {
        if let (Self::Deflate, Some(first)) = (&*self, chunk.first()) {
            *self = if first & 15 == 8 {
                Self::DeflateZlib(flate2::write::ZlibDecoder::new(Bounded::default()))
            } else {
                Self::DeflateBare(flate2::write::DeflateDecoder::new(Bounded::default()))
            };
        }
        match self {
            Self::Gzip(decoder) => decode(decoder, chunk),
            Self::Deflate => Ok(()),
            Self::DeflateZlib(decoder) => decode(decoder, chunk),
            Self::DeflateBare(decoder) => decode(decoder, chunk),
            Self::Brotli(decoder) => decode_in_slices(decoder, chunk),
            Self::Zstd(decoder) => decode_in_slices(decoder, chunk),
        }
    }

    /// What was decoded so far.
    fn take(&mut self) -> Vec<u8> {
        let decoded = match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Deflate => return Vec::new(),
            Self::DeflateZlib(decoder) => decoder.get_mut(),
            Self::DeflateBare(decoder) => decoder.get_mut(),
            Self::Brotli(decoder) => decoder.get_mut(),
            Self::Zstd(decoder) => decoder.writer_mut(),
        };
        std::mem::take(&mut decoded.0)
    }

    fn finish(&mut self) -> Result<(), Undecodable> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish()?,
            Self::Deflate => return Err(Undecodable),
            Self::DeflateZlib(decoder) => decoder.try_finish()?,
            Self::DeflateBare(decoder) => decoder.try_finish()?,
            Self::Brotli(decoder) => decoder.close()?,
            Self::Zstd(decoder) => decoder.finish()?,
        }
        Ok(())
    }
}

fn decode_in_slices(decoder: &mut impl Write, chunk: &[u8]) -> io::Result<()> {
    let mut slices = chunk.chunks(SLICE);
    slices.try_for_each(|slice| decode(decoder, slice))
}

fn decode(decoder: &mut impl Write, chunk: &[u8]) -> io::Result<()> {
    decoder.write_all(chunk)?;
    decoder.flush()
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Gzip(_) => "Gzip",
            Self::Deflate | Self::DeflateZlib(_) | Self::DeflateBare(_) => "Deflate",
            Self::Brotli(_) => "Brotli",
            Self::Zstd(_) => "Zstd",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &http::HeaderName, values: &[&'static str]) -> HeaderMap {
        let entry = |value: &&'static str| (name.clone(), HeaderValue::from_static(value));
        values.iter().map(entry).collect()
    }

    #[test]
    fn only_decodable_encodings_are_requested() {
        for (sent, expected) in [
            (&["gzip, deflate, br, zstd"][..], "gzip, deflate, br, zstd"),
            (&["gzip;q=0.5, compress, *;q=0.1", "br"], "gzip;q=0.5, br"),
            (&["compress"], "identity"),
            (&[""], ""),
            (&["identity"], "identity"),
        ] {
            let mut headers = headers(&ACCEPT_ENCODING, sent);
            accepted(&mut headers);
            assert_eq!(headers[ACCEPT_ENCODING], expected);
        }
        let mut none = HeaderMap::new();
        accepted(&mut none);
        assert!(none.is_empty());
    }

    fn encoded(coding: &str, text: &[u8]) -> Vec<u8> {
        let all = flate2::Compression::default();
        match coding {
            "gzip" => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), all);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "deflate" => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), all);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "bare deflate" => {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), all);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "zstd" => zstd::encode_all(text, 3).unwrap(),
            // "hello" as one uncompressed metablock.
            _ => b"\x0b\x02\x80hello\x03".to_vec(),
        }
    }

    fn pushed(decoder: &mut Decoder, chunk: &[u8]) -> Vec<u8> {
        let (bytes, result) = decoder.push(chunk);
        assert_eq!(result, Ok(()));
        bytes
    }

    /// The content of a chunk before its error was lost.
    #[test]
    fn data_before_a_break_is_decoded() {
        let all = flate2::Compression::default();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), all);
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), all);
        let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), all);
        for encoder in [&mut gzip as &mut dyn Write, &mut zlib, &mut bare] {
            encoder.write_all(b"hello").unwrap();
            encoder.flush().unwrap();
        }
        for (codings, mut bytes) in [
            ("gzip", gzip.get_ref().clone()),
            ("deflate", zlib.get_ref().clone()),
            ("deflate", bare.get_ref().clone()),
        ] {
            bytes.extend([0xff; 64]);
            let name = HeaderValue::from_static(codings);
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, name)]);
            let mut decoder = Decoder::of(&headers).unwrap().unwrap();
            let broken = (b"hello".to_vec(), Err(Undecodable));
            assert_eq!(decoder.push(&bytes), broken, "{codings}");
        }
    }

    /// They handed over nothing of such a chunk.
    #[test]
    fn zstd_and_brotli_decode_nearly_everything_before_a_break() {
        let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        // Uncompressed metablocks.
        let mut brotli = b"\x0b\x02\x80hello".to_vec();
        for _ in 0..30 {
            zstd.write_all(b"hello").unwrap();
            zstd.flush().unwrap();
            brotli.extend(b"\x20\x00\x08hello");
        }
        for (coding, mut bytes) in [("zstd", zstd.get_ref().clone()), ("br", brotli)] {
            bytes.extend([0xff; SLICE]);
            let mut decoder = Decoder::of(&headers(&CONTENT_ENCODING, &[coding]))
                .unwrap()
                .unwrap();
            let (text, result) = decoder.push(&bytes);
            assert_eq!(result, Err(Undecodable), "{coding}");
            let text = String::from_utf8(text).unwrap();
            assert!("hello".repeat(31).starts_with(&text), "{coding}: {text}");
            assert!(text.len() >= 5 * 20, "{coding}: {text}");
        }
    }

    #[test]
    fn every_encoding_is_decoded_however_chunked() {
        for coding in ["gzip", "deflate", "bare deflate", "zstd", "br"] {
            let text = b"hello";
            let bytes = encoded(coding, text);
            let name = coding.rsplit(' ').next().unwrap();
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, name.parse().unwrap())]);
            for size in 1..=bytes.len() {
                let mut decoder = Decoder::of(&headers).unwrap().unwrap();
                let mut text_again = Vec::new();
                for chunk in bytes.chunks(size) {
                    text_again.extend(pushed(&mut decoder, chunk));
                }
                assert_eq!(text_again, text, "{coding} by {size}");
                assert_eq!(decoder.finish(), Ok(()), "{coding}");
            }
            let mut broken = Decoder::of(&headers).unwrap().unwrap();
            pushed(&mut broken, &bytes[..bytes.len() / 2]);
            assert_eq!(broken.finish(), Err(Undecodable), "{coding}");
        }
    }

    #[test]
    fn a_flushed_event_is_not_delayed() {
        let headers = headers(&CONTENT_ENCODING, &["gzip"]);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"data: 1\n\n").unwrap();
        encoder.flush().unwrap();
        let mut decoder = Decoder::of(&headers).unwrap().unwrap();
        assert_eq!(pushed(&mut decoder, encoder.get_ref()), b"data: 1\n\n");
    }

    #[test]
    fn stacked_encodings_are_decoded_in_reverse_order() {
        let headers = headers(&CONTENT_ENCODING, &["identity, gzip", "zstd"]);
        let bytes = encoded("zstd", &encoded("gzip", b"hello"));
        let mut decoder = Decoder::of(&headers).unwrap().unwrap();
        assert_eq!(pushed(&mut decoder, &bytes), b"hello");
        assert_eq!(decoder.finish(), Ok(()));
    }

    #[test]
    fn a_decompression_bomb_is_refused() {
        let zeros = vec![0; 1 << 20];
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        for _ in 0..1 << 10 {
            encoder.write_all(&zeros).unwrap();
        }
        let gigabyte = encoder.finish().unwrap();
        assert!(gigabyte.len() < 1 << 20);
        for (codings, bytes) in [
            ("zstd", gigabyte.clone()),
            ("zstd, gzip", encoded("gzip", &gigabyte)),
        ] {
            let name = HeaderValue::from_str(codings).unwrap();
            let headers = HeaderMap::from_iter([(CONTENT_ENCODING, name)]);
            let mut decoder = Decoder::of(&headers).unwrap().unwrap();
            assert_eq!(decoder.push(&bytes).1, Err(Undecodable), "{codings}");
        }
    }

    #[test]
    fn unknown_encodings_and_garbage_are_refused() {
        assert!(Decoder::of(&headers(&CONTENT_ENCODING, &["snappy"])).is_err());
        assert!(Decoder::of(&HeaderMap::new()).unwrap().is_none());
        assert!(
            Decoder::of(&headers(&CONTENT_ENCODING, &["identity"]))
                .unwrap()
                .is_none()
        );
        let mut decoder = Decoder::of(&headers(&CONTENT_ENCODING, &["zstd"]))
            .unwrap()
            .unwrap();
        assert_eq!(decoder.push(b"no zstd at all").1, Err(Undecodable));
    }
}
