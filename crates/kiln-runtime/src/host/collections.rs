//! `Host.gc`: collections and finalizers, by what is asked for.

use super::arguments::Arguments;
use crate::{Run, exceptions};

pub(super) fn gc(args: &Arguments<'_>) -> Run {
    args.expect(1, 3)?;
    let heap = args.heap();
    match heap.types().name(args.symbol(0)?) {
        "collect" => {
            args.rt.collect();
            Ok(heap.nothing())
        }
        "time" => {
            let pauses = args.rt.pauses();
            Ok(heap.svec(&[heap.int(pauses.count() as i64), heap.int(pauses.total() as i64)]))
        }
        "size" => Ok(heap.int(heap.summary_size(args.value(1)?) as i64)),
        "enable" => {
            let was = heap.enable_collections(args.value(1)?.as_bool(heap.core()).unwrap_or(true));
            Ok(heap.bool(was))
        }
        "finalizer" => {
            let (function, object) = (args.value(1)?, args.value(2)?);
            if object.is_inline() {
                return Err(args.error("an object without an address cannot be finalized"));
            }
            heap.add_finalizer(object, function);
            Ok(object)
        }
        "finalizers" => Ok(heap.svec(&heap.take_finalizers(args.value(1)?))),
        "next" => {
            let all = args.value(1)?.as_bool(heap.core()).unwrap_or(false);
            let next = heap.next_finalizer(all);
            Ok(next.map_or_else(|| heap.nothing(), |(object, function)| heap.svec(&[function, object])))
        }
        other => Err(exceptions::argument_error(heap, &format!("gc: there is no `{other}`"))),
    }
}
