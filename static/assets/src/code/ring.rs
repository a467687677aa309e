//! A fixed-size ring buffer.

use std::collections::HashMap;
use std::fmt;

/// An error returned by [`Ring::push`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    Full,
    Closed,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Full => write!(f, "the buffer is full"),
            Error::Closed => f.write_str("closed"),
        }
    }
}

impl<T: Clone> Ring<T> {
    pub fn push(&mut self, item: T) -> Result<(), Error> {
        let slot = self.items.get_mut(self.head).ok_or(Error::Full)?;
        if slot.is_some() {
            return Err(Error::Full);
        }
        *slot = Some(item);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_until_full() {
        let mut ring = Ring::with_capacity(1);
        assert_eq!(ring.push(1u8), Ok(()));
        assert!(ring.push(2).is_err());
    }
}
