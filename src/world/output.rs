//! The output of another program.

use std::io::{self, Read};
use std::process::{Child, Output};
use std::thread;

/// The most bytes that a program may say on one stream.
const MOST: u64 = 256 << 20;

/// All that a program says on its pipes, once it has ended. Unlike `std`'s, it does not panic where a pipe cannot be read.
///
/// # Errors
/// When a pipe cannot be read or no thread be started, or it prints more than 256 MiB; the program is ended then.
pub(crate) fn output(mut child: Child) -> io::Result<Output> {
    let (out, said) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = thread::scope(|scope| {
        let said = thread::Builder::new().spawn_scoped(scope, || read(said));
        let out = said.as_ref().map_or_else(no_thread, |_| read(out));
        if out.is_err() {
            let _ = child.kill();
        }
        let said = said.ok().and_then(|said| said.join().ok());
        (out, said.unwrap_or_else(|| Ok(Vec::new())))
    });
    let ended = child.wait();
    Ok(Output {
        stdout: stdout?,
        stderr: stderr?,
        status: ended?,
    })
}

fn no_thread(error: &io::Error) -> io::Result<Vec<u8>> {
    let message = format!("no thread could be started: {}", error.kind());
    Err(io::Error::other(message))
}

/// All that comes out of a pipe.
fn read(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(pipe) = pipe else { return Ok(bytes) };
    pipe.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        Err(io::Error::other("it prints more than 256 MiB"))
    } else {
        Ok(bytes)
    }
}
