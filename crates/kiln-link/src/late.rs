//! Call targets that are made when they are first called.
//!
//! A [late slot](crate::Linker::late_slot) leads to an entry of its own, which has the address of a [`Late`] in a register and jumps to
//! one function. That function keeps the registers that arguments may be in, asks for the address of the target, and jumps there with
//! everything as the caller left it.

use crate::ObjectLinkError;
use crate::arena::Arena;
use std::sync::Arc;

/// Returns the address of the target. It is called on the first call, on the caller's stack.
pub type FindTarget = Box<dyn Fn() -> u64 + Send + Sync>;

/// The state of the entry of a late slot: at one address, as machine code has that address.
pub(crate) struct Late {
    find: FindTarget,
}

/// Bytes of `movabs $late, %r11; jmp *0(%rip); .quad resolver`.
const ENTRY_BYTES: usize = 24;

impl Late {
    pub(crate) fn new(find: FindTarget) -> Arc<Self> {
        Arc::new(Self { find })
    }

    /// Places an entry that asks this for its target, and returns its address.
    pub(crate) fn place(self: &Arc<Self>, arena: &mut Arena) -> Result<u64, ObjectLinkError> {
        let Some(resolver) = resolver() else {
            return Err(ObjectLinkError::OutOfRange("late slot on this processor".into()));
        };
        let entry = arena.allocate(ENTRY_BYTES, 16)?;
        let bytes = arena.bytes(entry);
        bytes[..2].copy_from_slice(&[0x49, 0xbb]);
        bytes[2..10].copy_from_slice(&(Arc::as_ptr(self).expose_provenance() as u64).to_le_bytes());
        bytes[10..16].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
        bytes[16..24].copy_from_slice(&resolver.to_le_bytes());
        arena.publish(entry, true)?;
        Ok(arena.address(entry))
    }
}

impl std::fmt::Debug for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Late").finish_non_exhaustive()
    }
}

/// Whether this processor has late slots.
pub fn has_late_slots() -> bool {
    resolver().is_some()
}

/// The address of the function that entries jump to: the registers of vectors are as wide as the processor has them.
#[cfg(all(target_arch = "x86_64", unix))]
fn resolver() -> Option<u64> {
    let function: unsafe extern "C" fn() = if std::arch::is_x86_feature_detected!("avx512f") {
        resolve_512
    } else if std::arch::is_x86_feature_detected!("avx") {
        resolve_256
    } else {
        resolve_128
    };
    Some(function as usize as u64)
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
fn resolver() -> Option<u64> {
    None
}

/// Asks for the target. A panic ends the process: there is no way back into compiled code.
#[cfg(all(target_arch = "x86_64", unix))]
unsafe extern "C" fn target(late: *const Late) -> u64 {
    // SAFETY: an entry passes the address of the `Late` of its slot, which is kept as long as code that calls the slot may run.
    (unsafe { &(*late).find })()
}

/// Makes a function that entries jump to with the address of a `Late` in `r11`: it keeps the registers of arguments, calls [`target`]
/// and jumps to the address that it returns. `$bytes` are those of a register of vectors, `$move` stores and loads one.
#[cfg(all(target_arch = "x86_64", unix))]
macro_rules! resolver {
    ($name:ident, $move:literal, $register:literal, $bytes:literal) => {
        /// Jumps to the target of a late slot, with all arguments in place.
        ///
        /// # Safety
        /// The entry of a late slot jumps to it.
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "push rbp",
                "mov rbp, rsp",
                "push rax",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "push r10",
                concat!("sub rsp, 8 * ", $bytes),
                "and rsp, -64",
                concat!($move, " [rsp], ", $register, "0"),
                concat!($move, " [rsp + ", $bytes, "], ", $register, "1"),
                concat!($move, " [rsp + 2 * ", $bytes, "], ", $register, "2"),
                concat!($move, " [rsp + 3 * ", $bytes, "], ", $register, "3"),
                concat!($move, " [rsp + 4 * ", $bytes, "], ", $register, "4"),
                concat!($move, " [rsp + 5 * ", $bytes, "], ", $register, "5"),
                concat!($move, " [rsp + 6 * ", $bytes, "], ", $register, "6"),
                concat!($move, " [rsp + 7 * ", $bytes, "], ", $register, "7"),
                "mov rdi, r11",
                "call {target}",
                "mov r11, rax",
                concat!($move, " ", $register, "0, [rsp]"),
                concat!($move, " ", $register, "1, [rsp + ", $bytes, "]"),
                concat!($move, " ", $register, "2, [rsp + 2 * ", $bytes, "]"),
                concat!($move, " ", $register, "3, [rsp + 3 * ", $bytes, "]"),
                concat!($move, " ", $register, "4, [rsp + 4 * ", $bytes, "]"),
                concat!($move, " ", $register, "5, [rsp + 5 * ", $bytes, "]"),
                concat!($move, " ", $register, "6, [rsp + 6 * ", $bytes, "]"),
                concat!($move, " ", $register, "7, [rsp + 7 * ", $bytes, "]"),
                "lea rsp, [rbp - 64]",
                "pop r10",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "pop rax",
                "pop rbp",
                "jmp r11",
                target = sym target,
            )
        }
    };
}

#[cfg(all(target_arch = "x86_64", unix))]
resolver!(resolve_128, "movups", "xmm", "16");
#[cfg(all(target_arch = "x86_64", unix))]
resolver!(resolve_256, "vmovups", "ymm", "32");
#[cfg(all(target_arch = "x86_64", unix))]
resolver!(resolve_512, "vmovups", "zmm", "64");
