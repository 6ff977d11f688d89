; Functions of AIR on this processor, for LLVM 22.
declare float @sqrtf(float)
declare float @sinf(float)
declare float @cosf(float)

define void @air.wg.barrier(i32 %flags, i32 %scope) {
  ret void
}
define i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %p, i32 %v, i32 %order, i32 %scope, i1 %volatile) {
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr addrspace(1) %p, align 4
  ret i32 %old
}
define float @air.fast_sqrt.f32(float %x) {
  %r = call float @sqrtf(float %x)
  ret float %r
}
define float @air.sincos.f32(float %x, ptr %cosine) {
  %s = call float @sinf(float %x)
  %c = call float @cosf(float %x)
  store float %c, ptr %cosine, align 4
  ret float %s
}
