//! Objects assembled by hand are linked and run; damaged ones are refused.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(unsafe_code, reason = "the tests call the code that was linked")]

use kiln_link::{CallSlot, Linker, ObjectLinkError};
use object::write::{Object, Relocation, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags, RelocationKind, SymbolFlags,
    SymbolKind, SymbolScope,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// `f0: call c0; add eax, [rip + s0]; ret` with `s0: .long 7`.
fn sample() -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let text = object.section_id(StandardSection::Text);
    let rodata = object.section_id(StandardSection::ReadOnlyData);
    let symbol = |name: &str, section, kind, scope| Symbol {
        name: name.into(),
        value: 0,
        size: 0,
        kind,
        scope,
        weak: false,
        section,
        flags: SymbolFlags::None,
    };
    let code = [0x50, 0xe8, 0, 0, 0, 0, 0x03, 0x05, 0, 0, 0, 0, 0x59, 0xc3]; // push; call; add; pop rcx; ret
    object.append_section_data(text, &code, 16);
    object.append_section_data(rodata, &7u32.to_le_bytes(), 4);
    object.add_symbol(symbol("f0", SymbolSection::Section(text), SymbolKind::Text, SymbolScope::Dynamic));
    let callee =
        object.add_symbol(symbol("c0", SymbolSection::Undefined, SymbolKind::Text, SymbolScope::Dynamic));
    let seven = object.add_symbol(symbol(
        "s0",
        SymbolSection::Section(rodata),
        SymbolKind::Data,
        SymbolScope::Compilation,
    ));
    for (offset, symbol, kind, encoding) in [
        (2, callee, RelocationKind::PltRelative, RelocationEncoding::X86Branch),
        (8, seven, RelocationKind::Relative, RelocationEncoding::Generic),
    ] {
        let flags = RelocationFlags::Generic { kind, encoding, size: 32 };
        object.add_relocation(text, Relocation { offset, symbol, addend: -4, flags }).unwrap();
    }
    object.write().unwrap()
}

extern "C" fn forty() -> u32 {
    40
}

extern "C" fn ninety() -> u32 {
    90
}

fn address_of(f: extern "C" fn() -> u32) -> u64 {
    f as usize as u64
}

fn call(address: u64) -> u32 {
    // SAFETY: the address is of the code of `sample`, which takes nothing and returns a `u32`.
    let f: extern "C" fn() -> u32 = unsafe { std::mem::transmute(address as usize) };
    f()
}

#[test]
fn a_call_out_and_a_constant_are_tied_together() {
    let linker = Linker::new().unwrap();
    let linked = linker.link(&sample(), &mut |name| (name == "c0").then(|| address_of(forty))).unwrap();
    assert_eq!(call(linked.address("f0").unwrap()), 47);
}

#[test]
fn the_same_local_name_means_what_each_link_says() {
    let linker = Linker::new().unwrap();
    let object = sample();
    let a = linker.link(&object, &mut |_| Some(address_of(forty))).unwrap();
    let b = linker.link(&object, &mut |_| Some(address_of(ninety))).unwrap();
    assert_eq!((call(a.address("f0").unwrap()), call(b.address("f0").unwrap())), (47, 97));
}

#[test]
fn a_slot_sends_its_callers_elsewhere() {
    let linker = Arc::new(Linker::new().unwrap());
    // SAFETY: the functions have the type that the sample calls.
    let slot = unsafe { linker.slot(address_of(forty)) }.unwrap();
    let linked = linker.link(&sample(), &mut |_| Some(slot.stub())).unwrap();
    let f = linked.address("f0").unwrap();
    assert_eq!(call(f), 47);
    // SAFETY: as above.
    unsafe { slot.point_at(address_of(ninety)) };
    assert_eq!(call(f), 97);
}

/// Threads that call while a slot is pointed elsewhere reach one function or the other, and the last one when all is done.
#[test]
fn threads_call_through_a_slot_that_is_pointed_elsewhere() {
    let linker = Arc::new(Linker::new().unwrap());
    // SAFETY: the functions have the type that the sample calls.
    let slot = unsafe { linker.slot(address_of(forty)) }.unwrap();
    let linked = linker.link(&sample(), &mut |_| Some(slot.stub())).unwrap();
    let f = linked.address("f0").unwrap();
    let is_done = AtomicBool::new(false);
    let calls = &|| {
        let mut count = 0u64;
        while count == 0 || !is_done.load(Ordering::Relaxed) {
            let got = call(f);
            assert!(got == 47 || got == 97, "{got}");
            count += 1;
        }
        count
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(calls)).collect();
        for turn in 0..10_000 {
            let target = if turn % 2 == 0 { ninety } else { forty };
            // SAFETY: as above.
            unsafe { slot.point_at(address_of(target)) };
            if turn % 500 == 0 {
                std::thread::yield_now();
            }
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(threads.into_iter().all(|it| it.join().is_ok_and(|calls| calls > 0)));
    });
    // SAFETY: as above.
    unsafe { slot.point_at(address_of(ninety)) };
    assert_eq!(call(f), 97);
}

extern "C" fn weighed(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, x: f64, y: f64) -> f64 {
    (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) as f64 + x / y
}

/// The target of a late slot is asked for once, and finds the arguments where the caller put them.
#[test]
fn a_late_slot_asks_for_its_target_once() {
    type Weighed = extern "C" fn(u64, u64, u64, u64, u64, u64, f64, f64) -> f64;
    if !kiln_link::has_late_slots() {
        return;
    }
    let linker = Arc::new(Linker::new().unwrap());
    let asked = Arc::new(AtomicU64::new(0));
    let slot: Arc<OnceLock<CallSlot>> = Arc::default();
    let find = {
        let (asked, slot) = (asked.clone(), Arc::downgrade(&slot));
        Box::new(move || {
            asked.fetch_add(1, Ordering::Relaxed);
            // What is asked for may use all registers of vectors.
            let noise: f64 = (0..100).map(|it| f64::from(it).sqrt()).sum();
            assert!(noise > 0.0);
            let target = weighed as Weighed as usize as u64;
            // SAFETY: the function has the type that is called below.
            slot.upgrade().unwrap().get().inspect(|it| unsafe { it.point_at(target) });
            target
        })
    };
    // SAFETY: as above; the slot is kept to the end.
    slot.set(unsafe { linker.late_slot(find) }.unwrap()).unwrap();
    // SAFETY: the stub leads to a function of this type.
    let f: Weighed = unsafe { std::mem::transmute(slot.get().unwrap().stub() as usize) };
    for _ in 0..3 {
        assert_eq!(f(1, 2, 3, 4, 5, 6, 1.0, 4.0).to_bits(), 91.25f64.to_bits());
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn an_unknown_symbol_is_named() {
    let linker = Linker::new().unwrap();
    let error = linker.link(&sample(), &mut |_| None).unwrap_err();
    assert_eq!(error, ObjectLinkError::Undefined("c0".into()));
}

/// Objects may come from a cache that another program wrote: any bytes give an answer.
#[test]
fn damaged_objects_are_refused_or_harmless() {
    let linker = Linker::new().unwrap();
    let good = sample();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..5000 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] = (seed >> 20) as u8;
        }
        let cut = if seed & 7 == 0 { (seed >> 40) as usize % bytes.len() } else { bytes.len() };
        let _ = linker.link(&bytes[..cut], &mut |_| Some(address_of(forty)));
    }
}
