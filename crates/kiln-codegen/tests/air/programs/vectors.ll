; Vectors: lanes, shuffles with any lanes, masks, constants of each form, addresses in other address spaces.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [6 x i8] c"%llx\0A\00", align 1
@tile = internal addrspace(3) global [64 x float] undef, align 16
@weights = internal addrspace(2) constant <4 x float> <float 1.0, float 2.0, float 0.5, float -1.0>, align 16

declare i32 @printf(ptr, ...)

define internal void @print(i64 %x) noinline {
  %r = call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}

define internal i64 @lanes(<4 x i32> %v, i32 %i) noinline {
  %a = add <4 x i32> %v, <i32 1, i32 2, i32 3, i32 4>
  %b = mul <4 x i32> %a, splat (i32 5)
  %c = shufflevector <4 x i32> %b, <4 x i32> poison, <8 x i32> <i32 3, i32 poison, i32 1, i32 0, i32 3, i32 2, i32 1, i32 0>
  %d = shufflevector <8 x i32> %c, <8 x i32> zeroinitializer, <4 x i32> <i32 0, i32 2, i32 9, i32 7>
  %m = icmp sgt <4 x i32> %d, <i32 10, i32 20, i32 -1, i32 5>
  %s = select <4 x i1> %m, <4 x i32> %d, <4 x i32> <i32 undef, i32 7, i32 8, i32 9>
  %e = extractelement <4 x i32> %s, i32 %i
  %t = insertelement <4 x i32> %s, i32 %e, i64 1
  %x = xor <4 x i32> %t, <i32 0, i32 -1, i32 0, i32 -1>
  %p = bitcast <4 x i32> %x to <2 x i64>
  %l = extractelement <2 x i64> %p, i32 0
  %h = extractelement <2 x i64> %p, i32 1
  %hh = mul i64 %h, 31
  %r = xor i64 %l, %hh
  ret i64 %r
}

define internal i64 @spaces(i64 %n) noinline {
entry:
  %w = load <4 x float>, ptr addrspace(2) @weights, align 16
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %to = getelementptr inbounds [64 x float], ptr addrspace(3) @tile, i64 0, i64 %i
  %f = uitofp i64 %i to float
  %lane = and i64 %i, 3
  %k = extractelement <4 x float> %w, i64 %lane
  %g = fmul float %f, %k
  store float %g, ptr addrspace(3) %to, align 4
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %head, label %exit
exit:
  %four = load <4 x float>, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @tile, i64 16), align 16
  %generic = addrspacecast ptr addrspace(3) @tile to ptr
  %sixth = getelementptr inbounds float, ptr %generic, i64 6
  %six = load float, ptr %sixth, align 4
  %q = fptosi <4 x float> %four to <4 x i16>
  %z = bitcast <4 x i16> %q to i64
  %s = fptosi float %six to i64
  %r = xor i64 %z, %s
  ret i64 %r
}

define i32 @main() {
  %a = call i64 @lanes(<4 x i32> <i32 1, i32 -2, i32 3, i32 100>, i32 2)
  call void @print(i64 %a)
  %b = call i64 @lanes(<4 x i32> zeroinitializer, i32 3)
  call void @print(i64 %b)
  %c = call i64 @spaces(i64 16)
  call void @print(i64 %c)
  ret i32 0
}
