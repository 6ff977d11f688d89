; A kernel as Apple's compiler would have it: arguments by address, positions by value, functions of AIR. `main` runs a grid of
; two groups of eight items, one item after the other: what a group shares is of one item at a time here.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [6 x i8] c"%llx\0A\00", align 1
@out = internal addrspace(1) global [16 x float] zeroinitializer, align 16
@in = internal addrspace(1) global [16 x float] [float 0.0, float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0], align 16
@total = internal addrspace(1) global i32 5, align 4
@length = internal addrspace(1) global i64 13, align 8
@tile = internal addrspace(3) global [8 x float] undef, align 16

declare i32 @printf(ptr, ...)
declare void @air.wg.barrier(i32, i32) convergent nounwind willreturn
declare i32 @air.atomic.global.add.u.i32(ptr addrspace(1) captures(none), i32, i32, i32, i1) nounwind
declare float @air.fast_sqrt.f32(float) nounwind memory(none)
declare float @air.sincos.f32(float, ptr)

define void @kernel(ptr addrspace(1) noalias captures(none) %out, ptr addrspace(1) noalias readonly captures(none) %in, ptr addrspace(1) noalias captures(none) "air-buffer-no-alias" %n, ptr addrspace(1) %total, i32 %group, i32 %item) {
entry:
  %base = mul i32 %group, 8
  %i32 = add i32 %base, %item
  %i = zext i32 %i32 to i64
  %end = load i64, ptr addrspace(1) %n, align 8
  %inside = icmp ult i64 %i, %end
  br i1 %inside, label %body, label %exit
body:
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %from, align 4
  %slot = zext i32 %item to i64
  %share = getelementptr inbounds [8 x float], ptr addrspace(3) @tile, i64 0, i64 %slot
  store float %x, ptr addrspace(3) %share, align 4
  call void @air.wg.barrier(i32 2, i32 1)
  %y = load float, ptr addrspace(3) %share, align 4
  %r = call fast float @air.fast_sqrt.f32(float %y)
  %cosine = alloca float, align 4
  %s = call float @air.sincos.f32(float %r, ptr %cosine)
  %c = load float, ptr %cosine, align 4
  %z = fadd float %s, %c
  %to = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %z, ptr addrspace(1) %to, align 4
  %xi = fptoui float %x to i32
  %old = call i32 @air.atomic.global.add.u.i32(ptr addrspace(1) %total, i32 %xi, i32 0, i32 2, i1 true)
  br label %exit
exit:
  ret void
}

define i32 @main() {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %group = lshr i32 %i, 3
  %item = and i32 %i, 7
  call void @kernel(ptr addrspace(1) @out, ptr addrspace(1) @in, ptr addrspace(1) @length, ptr addrspace(1) @total, i32 %group, i32 %item)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %head, label %print
print:
  %k = phi i64 [ 0, %head ], [ %after, %print ]
  %at = getelementptr inbounds [16 x float], ptr addrspace(1) @out, i64 0, i64 %k
  %v = load i32, ptr addrspace(1) %at, align 4
  %w = zext i32 %v to i64
  %p = call i32 (ptr, ...) @printf(ptr @format, i64 %w)
  %after = add i64 %k, 1
  %rest = icmp ult i64 %after, 16
  br i1 %rest, label %print, label %exit
exit:
  %t = load i32, ptr addrspace(1) @total, align 4
  %u = zext i32 %t to i64
  %q = call i32 (ptr, ...) @printf(ptr @format, i64 %u)
  ret i32 0
}

!air.version = !{!0}
!air.kernel = !{!1}
!llvm.module.flags = !{!5, !6}
!other.list = !{!2}
!0 = !{i32 2, i32 8, i32 0}
!1 = !{ptr @kernel, !2, !3}
!2 = !{}
!3 = !{!4, null}
!4 = !{i32 4, !"air.threadgroup_position_in_grid", !"air.arg_type_name", !"uint"}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"air.max_device_buffers", i32 31}
