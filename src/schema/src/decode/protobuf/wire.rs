//! The protobuf wire format: tags, varints, lengths. Every read is bounded by its message.

use crate::DecodeError;

/// One value as it lies on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    /// A base-128 number.
    Varint(u64),
    /// Eight little-endian bytes.
    Fixed64(u64),
    /// Text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
    /// Four little-endian bytes; no Kubernetes field uses them.
    Fixed32,
}

/// A cursor over the bytes of one message.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte of a message.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Whether the message ends here.
    pub(super) fn is_empty(&self) -> bool {
        self.offset >= self.bytes.len()
    }

    /// Complains about the bytes before the cursor.
    pub(super) fn fail(&self, message: &str) -> DecodeError {
        DecodeError::Protobuf {
            message: message.to_owned(),
            offset: self.offset,
        }
    }

    /// Reads text, which must be UTF-8.
    pub(super) fn text(&self, bytes: &[u8]) -> Result<String, DecodeError> {
        std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_error| self.fail("text is not UTF-8"))
    }

    /// Reads the next field.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Wire<'a>)>, DecodeError> {
        if self.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let tag = u32::try_from(key >> 3)
            .ok()
            .filter(|tag| *tag > 0)
            .ok_or_else(|| self.fail("a field number is out of range"))?;
        let wire = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                Wire::Bytes(self.take(length)?)
            }
            5 => {
                self.array::<4>()?;
                Wire::Fixed32
            }
            _ => return Err(self.fail("a wire type is not known")),
        };
        Ok(Some((tag, wire)))
    }

    /// Reads a varint.
    pub(super) fn varint(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.fail("a varint has too many bytes"))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let bytes = self.take(N)?;
        bytes
            .try_into()
            .map_err(|_error| self.fail("the message is cut off"))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let taken = self
            .offset
            .checked_add(length)
            .and_then(|end| self.bytes.get(self.offset..end))
            .ok_or_else(|| self.fail("the message is cut off"))?;
        self.offset += length;
        Ok(taken)
    }
}
