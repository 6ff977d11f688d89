//! SPIR-V.
use crate::harness::*;
#[test]
fn a_kernel_is_made() {
    let made = assembly(
        "spirv64",
        r#"
declare i64 @_Z13get_global_idj(i32)
declare void @llvm.trap()
define void @guard(i64 %i) noinline { 
  %c = icmp sgt i64 %i, 100
  br i1 %c, label %bad, label %ok
bad:
  call void @llvm.trap()
  unreachable
ok:
  ret void
}
define void @entry(ptr addrspace(1) %y) {
  %w = call i64 @_Z13get_global_idj(i32 0)
  call void @guard(i64 %w)
  %py = getelementptr i64, ptr addrspace(1) %y, i64 %w
  store i64 %w, ptr addrspace(1) %py
  ret void
}
"#,
    );
    check(
        &made,
        "check: OpEntryPoint Kernel
not: OpUnreachable",
    );
}
