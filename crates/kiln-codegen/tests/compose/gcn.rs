//! GCN.
use crate::harness::*;
#[test]
fn a_kernel_is_made() {
    let made = assembly(
        "gfx1100",
        r#"
declare i32 @llvm.amdgcn.workitem.id.x()
define void @entry(ptr addrspace(4) byref({i64, i64}) %t, ptr %y) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %v = load i64, ptr addrspace(4) %t
  %w = sext i32 %i to i64
  %py = getelementptr i64, ptr %y, i64 %w
  store i64 %v, ptr %py
  ret void
}
"#,
    );
    check(&made, "check: s_load_b64");
}
