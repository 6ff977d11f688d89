; Functions of AIR on this processor, for LLVM 14: addresses have the types that Apple's compiler demands.
declare float @sqrtf(float)
declare float @sinf(float)
declare float @cosf(float)

define void @air.wg.barrier(i32 %flags, i32 %scope) {
  ret void
}
define i32 @air.atomic.global.add.u.i32(i32 addrspace(1)* %p, i32 %v, i32 %order, i32 %scope, i1 %volatile) {
  %old = load i32, i32 addrspace(1)* %p, align 4
  %new = add i32 %old, %v
  store i32 %new, i32 addrspace(1)* %p, align 4
  ret i32 %old
}
define float @air.fast_sqrt.f32(float %x) {
  %r = call float @sqrtf(float %x)
  ret float %r
}
define float @air.sincos.f32(float %x, float* %cosine) {
  %s = call float @sinf(float %x)
  %c = call float @cosf(float %x)
  store float %c, float* %cosine, align 4
  ret float %s
}
