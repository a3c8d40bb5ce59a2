//! A writer that gathers a frame and sends it in one piece.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a frame; clones share them.
///
/// Flushing does nothing, because the backend flushes in the middle of frames; only
/// [`FrameWriter::commit`] writes.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameWriter {
    frame: Arc<Mutex<Gathered>>,
}

#[derive(Debug, Default)]
struct Gathered {
    bytes: Vec<u8>,
    written: u64,
}

impl FrameWriter {
    /// Writes everything gathered.
    pub(super) fn commit(&self) -> io::Result<()> {
        self.commit_to(&mut io::stdout().lock())
    }

    fn commit_to(&self, out: &mut impl Write) -> io::Result<()> {
        let mut frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = std::mem::take(&mut frame.bytes);
        frame.written += bytes.len() as u64;
        drop(frame);
        out.write_all(&bytes)?;
        out.flush()
    }

    pub(super) fn written(&self) -> u64 {
        self.frame
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .written
    }
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut frame = self.frame.lock().unwrap_or_else(PoisonError::into_inner);
        frame.bytes.extend_from_slice(bytes);
        drop(frame);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts calls, as a terminal on a slow line would feel them.
    #[derive(Default)]
    struct Calls(Vec<usize>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_frame_is_one_write() {
        let mut writer = FrameWriter::default();
        let mut calls = Calls::default();
        for _ in 0..1000 {
            writer.write_all(b"cell").unwrap();
            writer.flush().unwrap();
        }
        writer.commit_to(&mut calls).unwrap();
        assert_eq!(calls.0, [4000]);
        assert_eq!(writer.written(), 4000);
    }
}
