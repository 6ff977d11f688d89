//! `--check-bounds`: the effect of `yes` and `no` on the bounds checks of a body.
//!
//! With `yes`, each `BoundsCheck` is true and each access marked as unchecked is checked; with `no`, each
//! `BoundsCheck` is false and accesses are unchecked. With `auto` nothing changes: [`inline`](crate::inline) decides.

use kiln_ir::{Builtin, CheckBounds, IrCode, Op, Value};
use kiln_types::{ConstData, Types, consts};

/// Returns `code` with its checks decided by the mode.
pub fn check_bounds(mut code: IrCode, types: &Types, mode: CheckBounds) -> IrCode {
    let check = match mode {
        CheckBounds::Auto => return code,
        CheckBounds::Yes => true,
        CheckBounds::No => false,
    };
    let decided = Value::Const(consts::bool(types, check));
    for data in code.stmts.values_mut() {
        match &mut data.op {
            Op::BoundsCheck => data.op = Op::Pi(decided),
            Op::Builtin(builtin @ (Builtin::Getfield | Builtin::Memoryrefnew), args) => {
                let is_access = args.len() > 1 && (*builtin != Builtin::Getfield || is_open(args[1]));
                match args.last_mut() {
                    Some(last) if is_access && is_bool(types, *last) => *last = decided,
                    Some(_) if is_access && !check => args.push(decided),
                    _ => {} // a field by its name, or checked anyway
                }
            }
            _ => {} // checks nothing
        }
    }
    code
}

fn is_open(index: Value) -> bool {
    !matches!(index, Value::Const(_))
}

fn is_bool(types: &Types, value: Value) -> bool {
    let Value::Const(it) = value else { return false };
    matches!(types.const_data(it), ConstData::Bits { ty, .. } if *ty == types.core().bool)
}

#[cfg(test)]
mod tests {
    use super::check_bounds;
    use crate::testing::Body;
    use kiln_ir::CheckBounds;

    fn decided(mode: CheckBounds) -> Vec<String> {
        let body = Body::new(
            "f(_0::Tuple{Int64, Int64}, _1::Int64)::Int64\n\
             bb0:\n  %0 = boundscheck::Bool\n  %1 = Core.getfield(_0, _1)::Int64\n  \
             %2 = Core.getfield(_0, _1, false)::Int64\n  %3 = Core.getfield(_0, 1)::Int64\n  return %2\n",
        );
        let code = check_bounds(body.code.clone(), &body.types, mode);
        let text = code.display(&body.types).to_string();
        text.lines().skip(2).take(4).map(|it| it.trim().to_owned()).collect()
    }

    /// A field that a constant names needs no check in any mode.
    #[test]
    fn every_check_follows_the_mode() {
        let named = "%3 = Core.getfield(_0, 1)::Int64";
        let yes = [
            "%0 = π (true)::Bool",
            "%1 = Core.getfield(_0, _1)::Int64",
            "%2 = Core.getfield(_0, _1, true)::Int64",
            named,
        ];
        assert_eq!(decided(CheckBounds::Yes), yes);
        let no = [
            "%0 = π (false)::Bool",
            "%1 = Core.getfield(_0, _1, false)::Int64",
            "%2 = Core.getfield(_0, _1, false)::Int64",
            named,
        ];
        assert_eq!(decided(CheckBounds::No), no);
        let auto = [
            "%0 = boundscheck::Bool",
            "%1 = Core.getfield(_0, _1)::Int64",
            "%2 = Core.getfield(_0, _1, false)::Int64",
            named,
        ];
        assert_eq!(decided(CheckBounds::Auto), auto);
    }
}
