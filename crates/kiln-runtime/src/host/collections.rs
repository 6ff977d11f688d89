//! `Host.gc`: collections and finalizers, by what is asked for.

use super::arguments::Arguments;
use crate::heap::{finalizers, summary, svecs};
use crate::{Run, collecting, exceptions};

pub(super) fn gc(args: &Arguments<'_>) -> Run {
    args.expect(1, 3)?;
    let heap = args.heap();
    match heap.types().name(args.symbol(0)?) {
        "collect" => {
            collecting::collect(args.rt);
            Ok(heap.nothing())
        }
        "time" => {
            let pauses = collecting::pauses(args.rt);
            Ok(svecs::new(heap, &[heap.int(pauses.count() as i64), heap.int(pauses.total() as i64)]))
        }
        "size" => Ok(heap.int(summary::size(heap, args.value(1)?) as i64)),
        "enable" => {
            let was = heap.collection.enable(args.value(1)?.as_bool(heap.core()).unwrap_or(true));
            Ok(heap.bool(was))
        }
        "finalizer" => {
            let (function, object) = (args.value(1)?, args.value(2)?);
            if object.is_inline() {
                return Err(args.error("an object without an address cannot be finalized"));
            }
            finalizers::add(heap, object, function);
            Ok(object)
        }
        "finalizers" => Ok(svecs::new(heap, &finalizers::take(heap, args.value(1)?))),
        "next" => {
            let all = args.value(1)?.as_bool(heap.core()).unwrap_or(false);
            let next = finalizers::next(heap, all);
            Ok(next
                .map_or_else(|| heap.nothing(), |(object, function)| svecs::new(heap, &[function, object])))
        }
        other => Err(exceptions::argument_error(heap, &format!("gc: there is no `{other}`"))),
    }
}
