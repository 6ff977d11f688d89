//! The checks of a SPIR-V module before a driver sees it.
//!
//! A driver may end the process on a truncated module instead of returning an error. The checks detect that:
//! instructions fill the module exactly, functions are complete, the kernel exists. A module whose instructions are
//! semantically wrong is the driver's to reject.

/// The first word.
const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction.
const HEADER_WORDS: usize = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
/// The execution model of OpenCL's kernels.
const KERNEL: u32 = 6;

/// The names of the kernels of a module in this machine's byte order.
///
/// # Errors
/// The defect of an invalid module.
pub(crate) fn kernels(code: &[u8]) -> Result<Vec<String>, &'static str> {
    let words: Vec<u32> =
        code.chunks_exact(4).map(|it| u32::from_ne_bytes([it[0], it[1], it[2], it[3]])).collect();
    if !code.len().is_multiple_of(4) || words.len() < HEADER_WORDS || words[0] != MAGIC {
        return Err("its code is not SPIR-V");
    }
    let (mut names, mut is_in_function) = (Vec::new(), false);
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let (opcode, length) = (words[at] & 0xffff, (words[at] >> 16) as usize);
        let Some(operands) = words.get(at + 1..at + length) else {
            return Err("its SPIR-V ends in the middle of an instruction");
        };
        match (opcode, operands) {
            (OP_ENTRY_POINT, [KERNEL, _, name @ ..]) => names.push(text(name)),
            (OP_FUNCTION, _) if !is_in_function => is_in_function = true,
            (OP_FUNCTION_END, _) if is_in_function => is_in_function = false,
            (OP_FUNCTION | OP_FUNCTION_END, _) => return Err("its SPIR-V has a function in a function"),
            _ => {}
        }
        at += length;
    }
    if is_in_function { Err("its SPIR-V ends in the middle of a function") } else { Ok(names) }
}

/// The string that words begin with.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).take_while(|it| *it != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0200, 0, 10, 0];
        for it in instructions {
            words.push((it.len() as u32) << 16 | it[0]);
            words.extend(&it[1..]);
        }
        words.iter().flat_map(|it| it.to_ne_bytes()).collect()
    }

    const FUNCTION: &[u32] = &[OP_FUNCTION, 1, 2, 0, 3];
    const END: &[u32] = &[OP_FUNCTION_END];
    const NAME: u32 = u32::from_le_bytes(*b"abcd");

    /// Kernels are found by name, and entry points of graphics are not kernels.
    #[test]
    fn kernels_are_found() {
        let code = module(&[
            &[OP_ENTRY_POINT, KERNEL, 2, NAME, 0],
            &[OP_ENTRY_POINT, 5, 2, NAME, NAME, 0],
            &[OP_ENTRY_POINT, KERNEL, 3, u32::from_le_bytes(*b"k\0\0\0"), 7, 8],
            FUNCTION,
            END,
        ]);
        assert_eq!(kernels(&code), Ok(vec!["abcd".to_owned(), "k".to_owned()]));
    }

    /// Wherever a module is cut off, it is refused or has no part of a function.
    #[test]
    fn modules_that_are_cut_off_are_refused() {
        let code = module(&[&[OP_ENTRY_POINT, KERNEL, 2, NAME, 0], FUNCTION, &[248, 4], &[253], END]);
        assert!(kernels(&code).is_ok());
        for length in 0..code.len() {
            let is_ok = kernels(&code[..length]).is_ok();
            assert_eq!(is_ok, [20, 40].contains(&length), "{length} of {} bytes", code.len());
        }
        assert!(kernels(&module(&[&[0]])).is_ok());
        let mut no_length = module(&[FUNCTION, END]);
        no_length[20..24].fill(0);
        assert!(kernels(&no_length).is_err(), "an instruction has at least one word");
        assert!(kernels(&module(&[FUNCTION, FUNCTION, END, END])).is_err());
        assert!(kernels(&module(&[END])).is_err());
    }
}
