//! As much of HTTP/1.1 as a client and a provider of tests need.

use std::io::{self, BufRead, Read, Write};

/// A message.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Message {
    /// The line of the request or of the status.
    pub(super) first: String,
    /// The headers as they came.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Whether it came to its end.
    pub(super) whole: bool,
}

impl Message {
    /// The values of a header.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        let all = self.headers.iter();
        let named = all.filter(|(n, _)| n.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    pub(super) fn status(&self) -> u16 {
        let status = self.first.split(' ').nth(1);
        status.unwrap_or_default().parse().unwrap_or(0)
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// Reads a line and the headers. None at the end of the connection.
pub(super) fn head(from: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut message = Message::default();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end_matches("\r\n");
        if line.is_empty() {
            return Ok(Some(message));
        }
        match line.split_once(':') {
            Some((name, value)) if !message.first.is_empty() => {
                let pair = (name.to_owned(), value.trim().to_owned());
                message.headers.push(pair);
            }
            _ => message.first = line.to_owned(),
        }
    }
}

/// A piece of a chunked body; none at its end.
pub(super) fn chunk(from: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    let size = usize::from_str_radix(line.trim_end(), 16);
    let size = size.map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    let mut piece = vec![0; size + 2];
    from.read_exact(&mut piece)?;
    piece.truncate(size);
    Ok((size > 0).then_some(piece))
}

/// Reads the body after a head.
pub(super) fn body(from: &mut impl BufRead, message: &mut Message, is_answer: bool) {
    let chunked = message
        .header("transfer-encoding")
        .is_some_and(|value| value == "chunked");
    if chunked {
        message.whole = loop {
            match chunk(from) {
                Ok(Some(piece)) => message.body.extend(piece),
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        return;
    }
    let length = message.header("content-length").map(|l| l.parse().unwrap());
    match length {
        Some(length) => {
            let _ = from.take(length).read_to_end(&mut message.body);
            message.whole = message.body.len() as u64 == length;
        }
        None if is_answer => message.whole = from.read_to_end(&mut message.body).is_ok(),
        None => message.whole = true,
    }
}

/// Writes a piece of a chunked body.
pub(super) fn write_chunk(to: &mut impl Write, piece: &[u8]) -> io::Result<()> {
    write!(to, "{:x}\r\n", piece.len())?;
    to.write_all(piece)?;
    to.write_all(b"\r\n")?;
    to.flush()
}
