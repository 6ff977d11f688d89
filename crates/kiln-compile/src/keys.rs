//! The keys that units are stored under, every input listed by name.
//!
//! A unit has two. The *front key* lists what codegen is given: on a hit LLVM does nothing, and is not even opened. The
//! *back key* lists what codegen emitted, before LLVM's passes: bodies that differ and emit the same share what is made of
//! it. Stages, which are kept to be looked at, have a key of their own, so that they are read only to be shown.
//!
//! # Invariants
//! * Nothing that can change an object is in no key. What is listed is taken apart field by field, so that an option that
//!   is added does not compile until it says here what it does.
//! * Whatever is a constant of the code generator (LLVM's version, pipelines, relocation and code model) is in the build
//!   id of its library.

use crate::mutant::Mutant;
use kiln_cache::{Class, ContentHash, Key, KeyBuilder, KeyId};
use kiln_targets::{Abilities, AddressSpaces, ByAddress, Items, TargetFacts};
use kiln_unit::{CodegenOptions, CodegenRequest, Emitted, EntryKind};

/// The part of a key of what is no code that says what it is.
pub const OUTPUT: &str = "output";
/// The value of that part for a refusal.
pub const REFUSAL: &str = "refusal";
/// The value of that part for a late unit, which is a unit without code.
pub const LATE_UNIT: &str = "late unit";

/// The part that all keys of one session's units for one target share.
#[derive(Clone, Debug)]
pub struct UnitKeys {
    environment: Key,
}

impl UnitKeys {
    /// For the code generator that `codegen` identifies, a target, and what the compiler gets wrong, if it is to be
    /// wrong.
    pub fn new(codegen: &str, facts: &TargetFacts, mutant: Option<Mutant>) -> Self {
        let mut key = KeyBuilder::new(Class::Codegen, "environment");
        key.text("kiln", env!("CARGO_PKG_VERSION")).text("code generator", codegen);
        add_target(&mut key, facts);
        if let Some(mutant) = mutant {
            key.text("mutant", &format!("{mutant:?}"));
        }
        Self { environment: key.finish() }
    }

    /// Returns the part that all of them share.
    pub fn environment(&self) -> &Key {
        &self.environment
    }

    /// The front key of a unit. `subject` is the readable name of its first function.
    pub fn front(&self, subject: &str, request: &CodegenRequest) -> Key {
        // `target` is in the environment, `title` is for messages.
        let CodegenRequest { target: _, options, entry, in_kernel, functions, runtime, title: _ } = request;
        let mut key = KeyBuilder::new(Class::Codegen, subject);
        key.nested("environment", &self.environment);
        let entry = match entry {
            EntryKind::Function => "function",
            EntryKind::Kernel => "kernel",
            EntryKind::Body => "body",
        };
        key.text("entry", entry).flag("in kernel", *in_kernel);
        add_options(&mut key, options);
        // No part of the environment: most host code calls what it knows, and is the same with a device and without.
        key.flag("unknown calls launch", options.calls_launch);
        for (ordinal, function) in functions.iter().enumerate() {
            match function.external {
                None => key.bytes(&format!("body {ordinal}"), &function.ir),
                Some(traits) => key
                    .bytes(&format!("signature of callee {ordinal}"), &function.ir)
                    .number(&format!("traits of callee {ordinal}"), traits.bits().into()),
            };
            let callees: Vec<String> = function.callees.iter().map(u32::to_string).collect();
            key.text(&format!("calls of {ordinal}"), &callees.join(" "));
        }
        for (role, ordinal) in runtime {
            key.number(&format!("runtime function to {}", role.name()), (*ordinal).into());
        }
        key.finish()
    }

    /// The key of a kernel that is one function and calls none, by where its typed code is kept and what all of that is
    /// hashed to. (Functions that are called may have changed in what their own units say.)
    pub fn kernel(
        &self,
        subject: &str,
        (options, in_kernel): (&CodegenOptions, bool),
        (typed, record): (KeyId, ContentHash),
    ) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, format!("kernel of {subject}"));
        key.nested("environment", &self.environment);
        add_options(&mut key, options);
        key.flag("in kernel", in_kernel).bytes("typed code", &typed.0).bytes("record", &record.0);
        key.finish()
    }

    /// The back key of a unit, from what was emitted for it.
    pub fn back(&self, subject: &str, options: &CodegenOptions, emitted: &Emitted) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, format!("module of {subject}"));
        key.nested("environment", &self.environment);
        add_options(&mut key, options);
        let link = emitted.link_bytes();
        key.digest("module", ContentHash::of(&emitted.bitcode), emitted.bitcode.len() as u64);
        key.digest("link information", ContentHash::of(&link), link.len() as u64);
        key.finish()
    }

    /// The key of why codegen refuses the unit of a front key.
    pub fn refusal(&self, front: &Key) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, format!("refusal of {}", front.subject()));
        key.nested("environment", &self.environment);
        key.bytes("unit", &front.id().0).text(OUTPUT, REFUSAL);
        key.finish()
    }

    /// The key of the late unit of a front key.
    pub fn late(&self, front: &Key) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, format!("late unit of {}", front.subject()));
        key.nested("environment", &self.environment);
        key.bytes("unit", &front.id().0).text(OUTPUT, LATE_UNIT);
        key.finish()
    }

    /// The key of the stages of a unit, from [`Emitted::hash`].
    pub fn stages(&self, subject: &str, options: &CodegenOptions, emitted: &[u8; 32]) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, format!("stages of {subject}"));
        key.nested("environment", &self.environment);
        add_options(&mut key, options);
        key.bytes("emitted", emitted).text("output", "stages");
        key.finish()
    }
}

/// Lists everything that is true of a target.
pub(crate) fn add_target(key: &mut KeyBuilder, facts: &TargetFacts) {
    let TargetFacts {
        name: _, // what people call it
        backend,
        triple,
        cpu,
        features,
        pointer_bytes,
        have_fma,
        can_throw,
        preferred_group_items,
        vector_bits: _,
        have_int128,
        have_float16,
        have_bfloat16,
        have_float32,
        have_float64,
        items,
        spaces,
        lines: _, // device links have them, and say so in their keys
        references: _,
        pointer_spaces,
        abilities,
        scopes,
        intrinsics,
        tables: _,  // typed code is kept by their names
        limits: _,  // device links have them, too
        options: _, // what is given of them is in keys
        files: _,   // the rest is for what is done with an artifact
        tools: _,
        library: _,
        loads: _,
        may_crash: _,
    } = facts;
    key.text("back end", backend.name()).text("triple", triple).text("processor", cpu);
    key.text("features", features).number("pointer bytes", (*pointer_bytes).into());
    key.flag("fused multiply-add", *have_fma).flag("throws", *can_throw);
    key.number("preferred group items", (*preferred_group_items).into());
    key.flag("128-bit integers", *have_int128).flag("16-bit floats", *have_float16);
    key.flag("16-bit brain floats", *have_bfloat16).flag("32-bit floats", *have_float32);
    key.flag("64-bit floats", *have_float64);
    let items = match items {
        Items::Loops => "loops",
        Items::Device => "the device",
        Items::None => "none",
    };
    key.text("items", items);
    key.text("address spaces", &numbers(spaces)).text("spaces of pointers", &numbers(pointer_spaces));
    add_abilities(key, abilities);
    let scopes = scopes.as_ref().map_or_else(String::new, |it| format!("{} {}", it.group, it.device));
    key.text("scopes", &scopes).text("intrinsics", &intrinsics.join(" "));
}

fn numbers(spaces: &AddressSpaces) -> String {
    let AddressSpaces { generic, global, shared, constant, private } = spaces;
    [generic, global, shared, constant, private].map(u32::to_string).join(" ")
}

fn add_abilities(key: &mut KeyBuilder, abilities: &Abilities) {
    let Abilities {
        adds_floats,
        is_exact,
        has_wide_products,
        divides_signed,
        has_extrema,
        orders_accesses,
        has_fences,
        recurses,
        has_function_pointers,
        passes_dynamic_shared,
        atomic_bytes_min,
        atomic_bytes_max,
        by_address,
    } = abilities;
    key.flag("floats added in memory", *adds_floats).flag("exact", *is_exact);
    key.flag("wide products", *has_wide_products).flag("signed division", *divides_signed);
    key.flag("atomic extrema", *has_extrema).flag("ordered accesses", *orders_accesses);
    key.flag("fences", *has_fences).flag("recursion", *recurses);
    key.flag("function pointers", *has_function_pointers);
    key.flag("dynamic memory is passed", *passes_dynamic_shared);
    key.number("fewest bytes of atomics", (*atomic_bytes_min).into());
    key.number("most bytes of atomics", (*atomic_bytes_max).into());
    let by_address = match by_address {
        None => "none",
        Some(ByAddress::Value) => "by value",
        Some(ByAddress::Reference) => "by reference",
    };
    key.text("large arguments", by_address);
}

fn add_options(key: &mut KeyBuilder, options: &CodegenOptions) {
    // The other two change what is checked and what is returned beside the object, not the object.
    let CodegenOptions {
        opt_level,
        verify: _,
        keep_optimized: _,
        lines,
        debug_level,
        barrier_regions,
        group_size,
        vector_bits,
        checks,
        mistake,
        screens,
        lanes,
        lockstep,
        calls_launch: _, // in the request of a unit; the emitted module of the others tells
    } = options;
    key.number("optimization level", (*opt_level).into()).flag("lines", *lines);
    key.number("debug level", (*debug_level).into());
    let [x, y, z] = group_size.unwrap_or_default();
    key.text("group size", &format!("{x} {y} {z}"));
    key.flag("barrier regions", *barrier_regions).number("vector bits", (*vector_bits).into());
    key.text("checks", &checks.to_string()).flag("screened", *screens);
    key.number("lanes", (*lanes).into()).flag("lockstep", *lockstep);
    if let Some(mistake) = mistake {
        key.text("mistake", &format!("{mistake:?}"));
    }
}
