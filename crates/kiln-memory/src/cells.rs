//! The sizes of cells: an object lies in the smallest cell that holds its header and its data.

/// Bytes of the header before an object's data.
pub(super) const HEADER: u64 = 8;

/// The number of sizes.
pub(super) const CLASSES: usize = 22;

/// Header and data of one cell; more is a large object.
pub(super) const CELLS: [u64; CLASSES] = [
    16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1536, 2048,
];

/// The largest cell.
const LARGEST: u64 = CELLS[CELLS.len() - 1];

/// Class of a cell of `16 * index` bytes.
const CLASS_OF: [u8; LARGEST as usize / 16 + 1] = {
    let mut table = [0; LARGEST as usize / 16 + 1];
    let mut class = 0;
    let mut index = 0;
    while index < table.len() {
        while CELLS[class] < 16 * index as u64 {
            class += 1;
        }
        table[index] = class as u8;
        index += 1;
    }
    table
};

/// The `Int`s up to this one, and down to its negative, have one box each.
pub const SHARED_INTEGER_MAX: i64 = 512;

/// The class of an object with data of `size` bytes; `None` for a large object.
#[inline]
pub fn class_of(size: u64) -> Option<usize> {
    let index = size.checked_add(HEADER)?.div_ceil(16);
    CLASS_OF.get(usize::try_from(index).ok()?).map(|it| usize::from(*it))
}

/// Bytes of the cells of a class, with the header.
pub fn cell_bytes(class: usize) -> u64 {
    CELLS[class]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cell is large enough, and no smaller one is.
    #[test]
    fn the_smallest_cell_is_taken() {
        for size in 0..=LARGEST - HEADER {
            let class = class_of(size).unwrap();
            assert!(CELLS[class] >= size + HEADER);
            assert!(class == 0 || CELLS[class - 1] < size + HEADER);
        }
        assert_eq!(class_of(LARGEST - HEADER + 1), None);
        assert_eq!(class_of(u64::MAX), None);
    }
}
