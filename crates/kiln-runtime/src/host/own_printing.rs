//! The types that a program prints by methods of its own, among those whose text is known here.

use super::arguments::Arguments;
use crate::Runtime;
use crate::tables::TableId;
use kiln_types::{Type, Types, datatype, intersect, unionall};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The types of which the program has methods of `print`, or of a `show` that `print` calls.
#[derive(Debug, Default)]
pub(crate) struct OwnPrinting {
    /// Methods that have been looked at.
    seen: AtomicUsize,
    /// Whether there are such types.
    has_any: AtomicBool,
    types: RwLock<Vec<Type>>,
}

impl OwnPrinting {
    /// Whether Julia code has to print values of this type. Looks at the methods that were defined since the last call.
    pub(super) fn has(&self, args: &Arguments<'_>, ty: Type) -> bool {
        if self.seen.load(Ordering::Acquire) != args.rt.tables.methods.count() {
            self.look(args);
        }
        self.has_any.load(Ordering::Acquire) && self.types.read().contains(&ty)
    }

    #[cold]
    fn look(&self, args: &Arguments<'_>) {
        // While the library is loaded there are only its own methods.
        let Some(sealed) = args.rt.tables.sealed() else { return };
        let Some(printed) = Printed::find(args) else { return };
        let methods = &args.rt.tables.methods;
        let mut own = self.types.write();
        let mut seen = self.seen.load(Ordering::Acquire).max(methods.count_of_image());
        for method in methods.behind(seen) {
            if method.table == TableId::GLOBAL && method.worlds().min > sealed {
                printed.add_types(&args.rt.types, method.sig, &mut own);
            }
            seen = method.id.index() + 1;
        }
        self.has_any.store(!own.is_empty(), Ordering::Release);
        self.seen.store(seen, Ordering::Release);
    }
}

/// The printing of Base: its functions, the streams that take text in bulk, and the types whose text is known.
struct Printed {
    print: Type,
    show: Type,
    streams: Type,
    /// `print` writes them itself.
    printed: Vec<Type>,
    /// `print` calls `show` for them.
    shown: Vec<Type>,
}

impl Printed {
    fn find(args: &Arguments<'_>) -> Option<Self> {
        let rt: &Runtime = args.rt;
        let core = rt.heap.core();
        let named = |name: &str| rt.base_global(name)?.as_type(core);
        let text = args.text_types()?;
        Some(Self {
            print: rt.base_global("print")?.ty(),
            show: rt.base_global("show")?.ty(),
            streams: rt.types.union(&[text.buffer, named("FileHandle")?, named("IOStream")?]),
            printed: [core.uint8, core.uint16, core.uint32, core.uint64, core.uint128]
                .into_iter()
                .chain([core.float16, core.float32, core.char, core.symbol, core.string, text.substring])
                .collect(),
            shown: [core.int8, core.int16, core.int32, core.int64, core.int128]
                .into_iter()
                .chain([core.float64, core.bool])
                .collect(),
        })
    }

    /// Adds the types that a method of this signature prints.
    fn add_types(&self, types: &Types, sig: Type, own: &mut Vec<Type>) {
        let Some(&callee) = datatype::params(types, unionall::unwrap(types, sig)).first() else { return };
        let printed = if callee == self.print { self.printed.as_slice() } else { &[] };
        let shown = if [self.print, self.show].contains(&callee) { self.shown.as_slice() } else { &[] };
        for &ty in printed.iter().chain(shown) {
            let call = datatype::tuple(types, &[callee, self.streams, ty]);
            if !own.contains(&ty) && !intersect::are_disjoint(types, sig, call) {
                own.push(ty);
            }
        }
    }
}
