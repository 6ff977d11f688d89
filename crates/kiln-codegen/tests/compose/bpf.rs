//! BPF.
use crate::harness::*;
#[test]
fn a_kernel_is_made() {
    let mut r = request("bpf", vec![part("define i64 @f0(i64 %a) {\n %b = add i64 %a, 1\n ret i64 %b\n}")]);
    r.is_kernel = false;
    check(
        &text_of(&composed(&r).assembly),
        "check: r0 = r1
nextln: r0 += 1
nextln: exit",
    );
}
