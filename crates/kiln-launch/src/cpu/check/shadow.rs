//! Shadow memory: who accessed each word or byte last, and which bytes are not written yet.

use std::collections::HashMap;

const PAGE_BYTES: u64 = 4096;
/// The bytes of a word, for which there is one cell until an access is smaller or is not aligned.
const WORD: u64 = 4;
/// The pages that are found without a look-up.
const CACHED: usize = 512;

/// A place of an access: a segment, which is 0 for none, and a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) segment: u32,
    site: u32,
}

/// The bit of a site whose access is atomic.
const ATOMIC: u32 = 1 << 31;

impl Touch {
    pub(super) fn new(segment: u32, site: u32, is_atomic: bool) -> Self {
        Self { segment, site: (site & !ATOMIC) | if is_atomic { ATOMIC } else { 0 } }
    }

    pub(super) fn site(self) -> u32 {
        self.site & !ATOMIC
    }

    pub(super) fn is_atomic(self) -> bool {
        self.site & ATOMIC != 0
    }
}

/// The last accesses to a place. Atomic writes, which conflict with fewer, do not hide plain ones. Of reads there are two, so
/// that a writer that is one of several readers meets another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) write: Touch,
    pub(super) atomic: Touch,
    pub(super) reads: [Touch; 2],
}

/// The shadow of a page.
#[derive(Debug)]
struct Page {
    /// One cell for each word, or for each byte.
    cells: Vec<Cell>,
    /// A bit for each byte that nothing has written, where that is of interest.
    unwritten: [u64; 64],
}

impl Page {
    fn new() -> Self {
        Self { cells: Vec::new(), unwritten: [0; 64] }
    }

    /// Returns the cells of some bytes.
    fn cells(&mut self, at: usize, bytes: usize) -> &mut [Cell] {
        let word = WORD as usize;
        if self.cells.is_empty() {
            self.cells = vec![Cell::default(); (PAGE_BYTES / WORD) as usize];
        }
        if self.cells.len() < PAGE_BYTES as usize {
            if at.is_multiple_of(word) && bytes.is_multiple_of(word) {
                return &mut self.cells[at / word..(at + bytes) / word];
            }
            self.cells = self.cells.iter().flat_map(|it| [*it; WORD as usize]).collect();
        }
        &mut self.cells[at..at + bytes]
    }
}

/// The shadow of all memory.
#[derive(Debug)]
pub(super) struct Shadow {
    pages: Vec<Page>,
    by_number: HashMap<u64, usize>,
    cached: Vec<(u64, usize)>,
}

impl Shadow {
    pub(super) fn new() -> Self {
        Self { pages: Vec::new(), by_number: HashMap::new(), cached: vec![(u64::MAX, 0); CACHED] }
    }

    /// Forgets the accesses, and keeps which bytes are not written.
    pub(super) fn forget_accesses(&mut self) {
        self.pages.iter_mut().for_each(|it| it.cells = Vec::new());
    }

    #[inline]
    fn page(&mut self, number: u64) -> &mut Page {
        let slot = number as usize % CACHED;
        let (known, at) = self.cached[slot];
        if known == number {
            return &mut self.pages[at];
        }
        let pages = &mut self.pages;
        let at = *self.by_number.entry(number).or_insert_with(|| {
            pages.push(Page::new());
            pages.len() - 1
        });
        self.cached[slot] = (number, at);
        &mut self.pages[at]
    }

    /// Calls `visit` for the cells of `address..address + bytes`, page by page.
    #[inline]
    pub(super) fn visit(&mut self, address: u64, bytes: u64, mut visit: impl FnMut(&mut [Cell])) {
        self.by_page(address, bytes, |page, at, bytes| visit(page.cells(at, bytes)));
    }

    #[inline]
    fn by_page(&mut self, address: u64, bytes: u64, mut visit: impl FnMut(&mut Page, usize, usize)) {
        let (mut at, end) = (address, address.saturating_add(bytes));
        let start = at % PAGE_BYTES;
        if bytes <= PAGE_BYTES - start {
            return visit(self.page(at / PAGE_BYTES), start as usize, bytes as usize);
        }
        while at < end {
            let start = at % PAGE_BYTES;
            let here = (PAGE_BYTES - start).min(end - at);
            visit(self.page(at / PAGE_BYTES), start as usize, here as usize);
            at += here;
        }
    }

    /// Marks bytes as unwritten, or as written.
    #[inline]
    pub(super) fn mark(&mut self, address: u64, bytes: u64, is_unwritten: bool) {
        self.by_page(address, bytes, |page, at, bytes| {
            each_word(at, bytes, |word, bits| {
                let word = &mut page.unwritten[word];
                *word = if is_unwritten { *word | bits } else { *word & !bits };
            });
        });
    }

    /// Whether a byte is unwritten.
    #[inline]
    pub(super) fn is_unwritten(&mut self, address: u64, bytes: u64) -> bool {
        let mut found = false;
        self.by_page(address, bytes, |page, at, bytes| {
            each_word(at, bytes, |word, bits| found |= page.unwritten[word] & bits != 0);
        });
        found
    }
}

/// Calls `visit` with the index of each word of a page's bits, and the bits of the bytes `at..at + bytes` in it.
#[inline]
fn each_word(at: usize, bytes: usize, mut visit: impl FnMut(usize, u64)) {
    let (mut at, end) = (at, at + bytes);
    while at < end {
        let here = (64 - at % 64).min(end - at);
        let bits = if here == 64 { u64::MAX } else { ((1 << here) - 1) << (at % 64) };
        visit(at / 64, bits);
        at += here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_across_pages_are_marked_one_by_one() {
        let mut shadow = Shadow::new();
        shadow.mark(4090, 100, true);
        assert!(
            shadow.is_unwritten(4090, 1) && shadow.is_unwritten(4189, 1) && !shadow.is_unwritten(4190, 64)
        );
        shadow.mark(4096, 94, false);
        assert!(
            !shadow.is_unwritten(4096, 94) && shadow.is_unwritten(4095, 1) && !shadow.is_unwritten(4089, 1)
        );
    }

    /// A small access splits the words of its page, which keep what they know.
    #[test]
    fn words_split_into_bytes() {
        let mut shadow = Shadow::new();
        let touch = Touch::new(7, 3, true);
        shadow.visit(8192, 4, |cells| cells.iter_mut().for_each(|it| it.write = touch));
        let mut seen = Vec::new();
        shadow.visit(8194, 3, |cells| seen.extend(cells.iter().map(|it| it.write)));
        assert_eq!(seen, [touch, touch, Touch::default()]);
        assert!(touch.is_atomic() && touch.site() == 3);
    }
}
