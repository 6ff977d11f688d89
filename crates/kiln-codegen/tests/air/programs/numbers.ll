; Integers and floats, with flags that LLVM 14 does not have, and comparisons of each kind.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [6 x i8] c"%llx\0A\00", align 1

declare i32 @printf(ptr, ...)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1 immarg)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare float @llvm.fma.f32(float, float, float)
declare void @llvm.assume(i1)

define internal void @print(i64 %x) noinline {
  %r = call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}

define internal i64 @integers(i32 range(i32 0, 100) %a, i32 %b, i64 %c) memory(none) noinline {
  %s = add nuw nsw i32 %a, %b
  %m = mul nsw i32 %s, 7
  %o = or disjoint i32 %m, 0
  %z = zext nneg i32 %a to i64
  %t = trunc nuw nsw i64 %z to i16
  %x = sext i16 %t to i64
  %sh = shl nuw i64 %x, 3
  %d = udiv exact i64 %sh, 8
  %e = icmp samesign ult i32 %a, %b
  %sel = select i1 %e, i64 %d, i64 %c
  %ab = call i32 @llvm.abs.i32(i32 %o, i1 false)
  %mn = call range(i32 0, 1000) i32 @llvm.umin.i32(i32 %ab, i32 999)
  %pc = call i64 @llvm.ctpop.i64(i64 %c)
  %f = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 5)
  %ov = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %b, i32 2147483647)
  %ovv = extractvalue { i32, i1 } %ov, 0
  %ovb = extractvalue { i32, i1 } %ov, 1
  %ovx = zext i1 %ovb to i64
  %w0 = zext i32 %mn to i64
  %w1 = zext i32 %f to i64
  %w2 = zext i32 %ovv to i64
  %r0 = mul i64 %sel, 31
  %r1 = xor i64 %r0, %w0
  %r2 = mul i64 %r1, 31
  %r3 = add i64 %r2, %pc
  %r4 = mul i64 %r3, 31
  %r5 = xor i64 %r4, %w1
  %r6 = mul i64 %r5, 31
  %r7 = add i64 %r6, %w2
  %r8 = add i64 %r7, %ovx
  %fr = freeze i64 %r8
  ret i64 %fr
}

define internal i64 @floats(float %x, double %y, i32 %n) noinline {
  %a = fadd reassoc nsz arcp contract afn float %x, 0x3FB99999A0000000
  %b = fneg fast float %a
  %c = call contract float @llvm.fma.f32(float %b, float %x, float -0.0)
  %d = fpext fast float %c to double
  %e = fmul double %d, %y
  %f = fptrunc fast double %e to float
  %u = uitofp nneg i32 %n to float
  %g = fcmp nnan olt float %f, %u
  %h = select nnan ninf i1 %g, float %f, float %u
  %half = fptrunc float %h to half
  %hh = fadd half %half, 0xH3C01
  %hb = bitcast half %hh to i16
  %i = bitcast float %h to i32
  %un = fcmp uno double %y, 0x7FF8000000000000
  %j = zext i1 %un to i64
  %k = zext i32 %i to i64
  %l = zext i16 %hb to i64
  %m = shl i64 %l, 33
  %o = xor i64 %k, %m
  %p = add i64 %o, %j
  %known = icmp ne i64 %p, 1
  call void @llvm.assume(i1 %known)
  ret i64 %p
}

define internal i64 @switches(i64 %n) noinline {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %tail ]
  %sum = phi i64 [ %n, %entry ], [ %new, %tail ]
  %low = trunc i64 %i to i8
  switch i8 %low, label %other [ i8 0, label %zero
                                 i8 3, label %three
                                 i8 -1, label %three ]
zero:
  %z = add i64 %sum, 5
  br label %tail
three:
  %t = mul i64 %sum, 3
  br label %tail
other:
  %o = xor i64 %sum, %i
  %odd = trunc i64 %o to i1
  br i1 %odd, label %tail, label %even
even:
  br label %tail
tail:
  %new = phi i64 [ %z, %zero ], [ %t, %three ], [ %o, %other ], [ -9223372036854775808, %even ]
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 10
  br i1 %done, label %exit, label %head
exit:
  ret i64 %new
}

define i32 @main() {
  %a = call i64 @integers(i32 17, i32 93, i64 -3)
  call void @print(i64 %a)
  %b = call i64 @integers(i32 17, i32 5000000, i64 81985529216486895)
  call void @print(i64 %b)
  %c = call i64 @floats(float 0x3FF19999A0000000, double 3.5, i32 12)
  call void @print(i64 %c)
  %d = call i64 @floats(float -1.0e+03, double 0x7FF8000000000001, i32 0)
  call void @print(i64 %d)
  %e = call i64 @switches(i64 99)
  call void @print(i64 %e)
  ret i32 0
}
