use std::collections::BTreeMap;
use std::ops::Range;

/// A set of `u64` values, kept as disjoint half-open ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalSet {
    /// start -> end
    ranges: BTreeMap<u64, u64>,
}

impl IntervalSet {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `range`, joining every range that it overlaps or touches.
    pub fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        if let Some((&s, &e)) = self.ranges.range(..=start).next_back() {
            if e >= start {
                start = s;
                end = end.max(e);
            }
        }
        let absorbed: Vec<u64> = self.ranges.range(start..=end).map(|(&s, _)| s).collect();
        for s in absorbed {
            if let Some(e) = self.ranges.remove(&s) {
                end = end.max(e);
            }
        }
        self.ranges.insert(start, end);
    }

    pub fn contains(&self, value: u64) -> bool {
        self.ranges
            .range(..=value)
            .next_back()
            .is_some_and(|(_, &end)| value < end)
    }

    /// The parts of `within` that are not in the set.
    pub fn missing(&self, within: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut at = within.start;
        let mut tail = Some(within.clone());
        self.ranges
            .range(..within.end)
            .filter(move |(_, &e)| e > within.start)
            .filter_map(move |(&s, &e)| {
                let hole = (at < s).then(|| at..s);
                at = at.max(e);
                hole
            })
            .chain(std::iter::from_fn(move || {
                let all = tail.take()?;
                let last = self.ranges.range(..all.end).next_back().map_or(all.start, |(_, &e)| e);
                (last < all.end).then(|| last.max(all.start)..all.end)
            }))
    }

    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|(s, e)| e - s).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_ranges_join() {
        let mut set = IntervalSet::new();
        set.insert(0..4);
        set.insert(8..12);
        set.insert(4..8);
        assert_eq!(set.ranges.len(), 1);
        assert_eq!(set.len(), 12);
    }

    #[test]
    fn holes_are_reported_in_order() {
        let mut set = IntervalSet::new();
        set.insert(10..20);
        set.insert(30..40);
        let holes: Vec<_> = set.missing(0..50).collect();
        assert_eq!(holes, vec![0..10, 20..30, 40..50]);
    }
}
