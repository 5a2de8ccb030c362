//! The copy of a body: in memory as long as all copies together are small, else in a file without a name.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes of all copies that are in memory.
const MOST: usize = 32 << 20;

/// The bytes of all copies that are in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory(Arc<AtomicUsize>);

/// The copy of a body.
#[derive(Debug)]
pub(super) struct Spool {
    held: Vec<u8>,
    memory: Memory,
    file: Option<File>,
    /// The most bytes that it may have.
    most: u64,
    /// The number of its bytes.
    size: u64,
    /// Whether there were more.
    cut: bool,
}

impl Spool {
    /// An empty one, of at most so many bytes.
    pub(super) fn new(memory: &Memory, most: u64) -> Self {
        Self {
            most,
            held: Vec::new(),
            memory: memory.clone(),
            file: None,
            size: 0,
            cut: false,
        }
    }

    /// Whether the copy is incomplete: one body was larger than the limit.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Adds bytes up to the limit; drops the rest.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let size = self.size + bytes.len() as u64;
        self.cut |= size > self.most;
        if self.cut {
            return Ok(());
        }
        self.size = size;
        if self.file.is_none() && self.memory.0.load(Ordering::Relaxed) + bytes.len() > MOST {
            // It can be read by its owner alone, and is gone with the process.
            let mut file = tempfile::tempfile()?;
            file.write_all(&self.held)?;
            self.file = Some(file);
            self.release();
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => {
                self.held.extend_from_slice(bytes);
                self.memory.0.fetch_add(bytes.len(), Ordering::Relaxed);
                Ok(())
            }
        }
    }

    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.memory.0.fetch_sub(held.len(), Ordering::Relaxed);
    }

    /// Reads it from its start.
    pub(super) fn reader(&mut self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &mut self.file {
            Some(file) => {
                file.rewind()?;
                Box::new(file)
            }
            None => Box::new(Cursor::new(&self.held)),
        })
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_too_large_for_memory_goes_to_a_file() {
        let memory = Memory::default();
        let mut spools: Vec<Spool> = (0..5).map(|_| Spool::new(&memory, 10 << 20)).collect();
        let piece = vec![7; 1 << 20];
        for _ in 0..10 {
            for spool in &mut spools {
                spool.push(&piece).unwrap();
            }
            assert!(memory.0.load(Ordering::Relaxed) <= MOST);
        }
        for spool in &mut spools {
            assert!(!spool.is_cut());
            spool.push(&[7]).unwrap();
            assert!(spool.is_cut());
            let mut all = Vec::new();
            spool.reader().unwrap().read_to_end(&mut all).unwrap();
            assert!(all.len() == 10 << 20 && all.iter().all(|byte| *byte == 7));
        }
        drop(spools);
        assert_eq!(memory.0.load(Ordering::Relaxed), 0);
    }
}
