//! As much of HTTP/1.1 as a model client needs: requests with a length or in chunks, answers in chunks.

use bytes::{Buf, Bytes, BytesMut};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct HttpRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl HttpRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn wants_close(&self) -> bool {
        self.header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

/// Reads the next request of a connection; `None` when the client has closed it.
pub(crate) async fn read_request(
    reader: &mut (impl AsyncRead + Unpin),
    writer: &mut (impl AsyncWrite + Unpin),
    held: &mut BytesMut,
) -> io::Result<Option<HttpRequest>> {
    let head = loop {
        if let Some(end) = find(held, b"\r\n\r\n") {
            break held.split_to(end + 4);
        }
        if reader.read_buf(held).await? == 0 {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&head);
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let mut request = HttpRequest {
        method: words.next().unwrap_or_default().to_owned(),
        path: words.next().unwrap_or_default().to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
            .collect(),
        body: Bytes::new(),
    };
    if request
        .header("expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let chunked = request
        .header("transfer-encoding")
        .is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    request.body = if chunked {
        read_chunks(reader, held).await?
    } else {
        let length = request
            .header("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        fill(reader, held, length).await?;
        held.split_to(length).freeze()
    };
    Ok(Some(request))
}

async fn read_chunks(reader: &mut (impl AsyncRead + Unpin), held: &mut BytesMut) -> io::Result<Bytes> {
    let mut body = BytesMut::new();
    loop {
        let end = loop {
            match find(held, b"\r\n") {
                Some(end) => break end,
                None => fill(reader, held, held.len() + 1).await?,
            }
        };
        let line = held.split_to(end + 2);
        let size = String::from_utf8_lossy(&line[..end]);
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        fill(reader, held, size + 2).await?;
        body.extend_from_slice(&held[..size]);
        held.advance(size + 2);
        if size == 0 {
            return Ok(body.freeze());
        }
    }
}

async fn fill(reader: &mut (impl AsyncRead + Unpin), held: &mut BytesMut, size: usize) -> io::Result<()> {
    held.reserve(size.saturating_sub(held.len()));
    while held.len() < size {
        if reader.read_buf(held).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// The head of an answer. `length` is `None` for a body in chunks.
pub(crate) fn head(status: u16, headers: &[(String, String)], length: Option<usize>) -> Bytes {
    let mut text = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match length {
        Some(length) => text.push_str(&format!("content-length: {length}\r\n\r\n")),
        None => text.push_str("transfer-encoding: chunked\r\n\r\n"),
    }
    text.into()
}

/// Appends one chunk of a body in chunks. Nothing for no bytes, since an empty chunk would end the body.
pub(crate) fn chunk(data: &[u8], into: &mut BytesMut) {
    if data.is_empty() {
        return;
    }
    into.extend_from_slice(format!("{:x}\r\n", data.len()).as_bytes());
    into.extend_from_slice(data);
    into.extend_from_slice(b"\r\n");
}

/// The end of a body in chunks.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Payload Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
