//! Outlining of throws, on text: the code left on the device, and the thunk of the host.

use super::outline_throws;
use crate::Callees;
use crate::testing::Body;
use kiln_ir::{Builtin, Instance};
use kiln_types::{Const, Types, consts};

/// Builtins are the symbols of their names; `mi1` is vararg.
struct Host<'a>(&'a Types);

impl Callees for Host<'_> {
    fn is_vararg(&self, instance: Instance) -> bool {
        instance.as_u32() == 1
    }
    fn builtin(&self, builtin: Builtin) -> Const {
        consts::symbol(self.0, self.0.symbol(builtin.name()))
    }
    fn iterate(&self) -> Option<Const> {
        Some(consts::symbol(self.0, self.0.symbol("iterate")))
    }
}

fn outlined(text: &str) -> String {
    let body = Body::new(text);
    let code = outline_throws(body.code.clone(), &body.types, &Host(&body.types));
    assert_eq!(kiln_ir::verify(&code, &body.types), [], "{}", code.display(&body.types));
    code.display(&body.types).to_string()
}

/// The plain bits that the exception depends on are the operands, each once, in the order of first use; the host
/// makes the rest.
#[test]
fn plain_bits_become_operands() {
    assert_eq!(
        outlined(
            "f(_0::Int64, _1::Bool)::Int64\n\
             bb0:\n  %0 = Intrinsics.add_int(_0, 1)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb1:\n  return %0\n\
             bb2:\n  %3 = dynamic(:a, %0, _0, %0, 5)::String\n  %4 = Core.throw(%3)::Union{}\n  unreachable\n"
        ),
        "f(_0::Int64, _1::Bool)::Int64\n\
         bb0:\n  %0 = Intrinsics.add_int(_0, 1)::Int64\n  branch _1 ? bb1 : bb2\n\
         bb1:\n  return %0\n\
         bb2:\n  fail site0(%0, _0)\n\
         site0(#0::Int64, #1::Int64):\n  !0 = call(:a, #0, #1, #0, 5)\n  !1 = call(:throw, !0)\n"
    );
}

/// A string made before the branch and used by the error alone moves to the host; one with other uses stays.
#[test]
fn what_only_the_error_needs_goes_with_it() {
    let text = outlined(
        "f(_0::Int64, _1::Bool)::Int64\n\
         bb0:\n  %0 = dynamic(:a, _0)::String\n  branch _1 ? bb1 : bb2\n\
         bb1:\n  return _0\n\
         bb2:\n  %3 = Core.throw(%0)::Union{}\n  unreachable\n",
    );
    assert!(
        !text.contains("dynamic") && text.contains("!0 = call(:a, #0)\n  !1 = call(:throw, !0)"),
        "{text}"
    );
    let text = outlined(
        "f(_0::Int64, _1::Bool)::String\n\
         bb0:\n  %0 = dynamic(:a, _0)::String\n  branch _1 ? bb1 : bb2\n\
         bb1:\n  return %0\n\
         bb2:\n  %3 = Core.throw(%0)::Union{}\n  unreachable\n",
    );
    assert!(text.contains("%0 = dynamic(:a, _0)::String") && text.contains("return %0"), "{text}");
}

/// Two ways into one block that throws share its site; two blocks have one each.
#[test]
fn each_block_that_throws_is_one_site() {
    let text = outlined(
        "f(_0::Int64, _1::Bool)::Int64\n\
         bb0:\n  branch _1 ? bb1 : bb3\n\
         bb1:\n  %1 = Intrinsics.slt_int(_0, 0)::Bool\n  branch %1 ? bb3 : bb2\n\
         bb2:\n  %3 = Core.throw(_0)::Union{}\n  unreachable\n\
         bb3:\n  %5 = φ (bb0 => 1, bb1 => _0)::Int64\n  %6 = Core.throw(%5)::Union{}\n  unreachable\n",
    );
    assert_eq!(text.matches("fail ").count(), 2, "{text}");
    assert!(text.contains("= φ (bb0 => 1, bb1 => _0)::Int64\n  fail site"), "{text}");
    assert_eq!(text.matches("!0 = call(:throw, #0)").count(), 2, "{text}");
}

/// Nothing after the statement that throws is left, effects included.
#[test]
fn code_after_a_throw_is_gone() {
    assert_eq!(
        outlined(
            "f(_0::Int64)::Union{}\n\
             bb0:\n  %0 = Core.throw(_0)::Union{}\n  %1 = dynamic(:b, _0)::Any\n  \
             %2 = Core.throw(%1)::Union{}\n  unreachable\n"
        ),
        "f(_0::Int64)::Union{}\nbb0:\n  fail site0(_0)\nsite0(#0::Int64):\n  !0 = call(:throw, #0)\n"
    );
}

/// A call that never returns throws as well; the trailing arguments of a vararg method, packed for its body, are splatted
/// again.
#[test]
fn a_call_that_never_returns_is_outlined() {
    let text = outlined("f(_0::Int64)::Union{}\nbb0:\n  %0 = invoke mi0(:a, _0)::Union{}\n  unreachable\n");
    assert!(text.contains("fail site0(_0)\nsite0(#0::Int64):\n  !0 = call(:a, #0)\n"), "{text}");
    let text = outlined(
        "f(_0::Int64)::Union{}\n\
         bb0:\n  %0 = Core.tuple(_0, 3)::Tuple{Int64, Int64}\n  %1 = invoke mi1(:a, _0, %0)::Union{}\n  unreachable\n",
    );
    assert!(text.contains("fail site0(_0, %0)"), "{text}");
    assert!(
        text.contains("!0 = call(:tuple, #0)\n  !1 = call(:_apply_iterate, :iterate, :a, !0, #1)\n"),
        "{text}"
    );
}

/// Effects of the kernel before the throw stay.
#[test]
fn effects_before_a_throw_stay() {
    let text = outlined(
        "f(_0::Int64)::Union{}\n\
         bb0:\n  %0 = Intrinsics.kiln_barrier()::Nothing\n  %1 = Core.throw(_0)::Union{}\n  unreachable\n",
    );
    assert!(text.contains("Intrinsics.kiln_barrier()::Nothing\n  fail site0(_0)"), "{text}");
}

/// A field of an object argument is neither bits nor made for the error: the throw is unchanged, for the check of kernels
/// to report.
#[test]
fn what_the_host_would_not_have_is_left() {
    let text = "f(_0::String, _1::Bool)::Union{}\nbb0:\n  %0 = Core.throw(_0)::Union{}\n  unreachable\n";
    assert_eq!(outlined(text), text);
}

/// An exception that depends on the way that was taken is not known to be made for the error alone.
#[test]
fn a_phi_of_objects_is_left() {
    let text = "f(_0::Int64, _1::Bool)::Union{}\n\
                bb0:\n  %0 = dynamic(:a, _0)::String\n  branch _1 ? bb1 : bb2\n\
                bb1:\n  goto bb3\n\
                bb2:\n  goto bb3\n\
                bb3:\n  %4 = φ (bb1 => %0, bb2 => :b)::Any\n  %5 = Core.throw(%4)::Union{}\n  unreachable\n";
    assert_eq!(outlined(text), text);
}
