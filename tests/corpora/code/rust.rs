//! A ring of fixed size that forgets its oldest entries.

use std::collections::HashMap;
use std::fmt::{self, Display};

/// How many entries a ring holds unless told otherwise.
pub const DEFAULT_CAPACITY: usize = 128;

/// Entries in the order of their arrival.
#[derive(Debug, Clone)]
pub struct Ring<T> {
    slots: Vec<Option<T>>,
    next: usize,
    seen: HashMap<u64, usize>,
}

impl<T: Clone> Ring<T> {
    /// Creates an empty ring with room for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        assert!(capacity > 0, "a ring needs room for at least one entry");
        Ring { slots: vec![None; capacity], next: 0, seen: HashMap::new() }
    }

    /// Adds an entry and returns the one that had to make room for it.
    #[must_use]
    pub fn push(&mut self, entry: T) -> Option<T> {
        let slot = self.next % self.slots.len();
        self.next += 1;
        self.slots[slot].replace(entry)
    }

    pub fn len(&self) -> usize {
        self.next.min(self.slots.len())
    }
}

impl<T: Display> Display for Ring<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for slot in self.slots.iter().flatten() {
            writeln!(out, "{slot}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_entry_makes_room() {
        let mut ring = Ring::with_capacity(1);
        assert_eq!(ring.push(1), None);
        assert_eq!(ring.push(2), Some(1));
    }
}
