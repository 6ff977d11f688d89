; Addresses: in memory, in structures, of variables, of parts, in phis and selections; bits in memory; copies.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@format = private constant [6 x i8] c"%llx\0A\00", align 1
@table = internal constant [4 x i32] [i32 10, i32 -20, i32 30, i32 40], align 16
@matrix = internal constant [2 x { i8, [2 x float] }] [{ i8, [2 x float] } { i8 1, [2 x float] [float 1.5, float 2.5] }, { i8, [2 x float] } { i8 2, [2 x float] [float -3.5, float 4.5] }]
@bytes = internal global [9 x i8] c"abcdefgh\00"
@where = internal global ptr @table
@places = internal global [2 x ptr] [ptr @bytes, ptr null]
@count = internal global i32 0

declare i32 @printf(ptr captures(none), ...) nounwind
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg)
declare void @llvm.lifetime.start.p0(ptr captures(none))
declare void @llvm.lifetime.end.p0(ptr captures(none))

define internal void @print(i64 %x) noinline {
  %r = call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}

define internal fastcc i32 @third(ptr nonnull align 4 dereferenceable(16) %p) noinline memory(argmem: read) {
  %q = getelementptr inbounds nuw i8, ptr %p, i64 8
  %v = load i32, ptr %q, align 4
  ret i32 %v
}

define internal i64 @variables(i1 %second, i64 %i) noinline {
entry:
  br i1 %second, label %yes, label %no
yes:
  br label %join
no:
  br label %join
join:
  %p = phi ptr [ @table, %yes ], [ getelementptr inbounds ([4 x i32], ptr @table, i64 0, i64 2), %no ]
  %q = select i1 %second, ptr %p, ptr getelementptr inbounds (i8, ptr @table, i64 4)
  %v = load i32, ptr %p, align 4
  %w = load i32, ptr %q, align 4
  %row = getelementptr inbounds [2 x { i8, [2 x float] }], ptr @matrix, i64 0, i64 %i, i32 1, i64 1
  %f = load float, ptr %row, align 4
  %fi = fptosi float %f to i32
  %is = icmp eq ptr %p, %q
  %isx = zext i1 %is to i32
  %s0 = mul i32 %v, 31
  %s1 = add i32 %s0, %w
  %s2 = mul i32 %s1, 31
  %s3 = add i32 %s2, %fi
  %s4 = mul i32 %s3, 31
  %s5 = add i32 %s4, %isx
  %there = load ptr, ptr @where, align 8
  %third = call fastcc i32 @third(ptr %there)
  %s6 = add i32 %s5, %third
  store ptr getelementptr (i8, ptr @table, i64 -4), ptr @where, align 8
  %r = sext i32 %s6 to i64
  ret i64 %r
}

%pair = type { ptr, i64, i1 }

define internal %pair @make(ptr %p, i64 %n) noinline {
  %a = insertvalue %pair poison, ptr %p, 0
  %b = insertvalue %pair %a, i64 %n, 1
  %c = insertvalue %pair %b, i1 true, 2
  ret %pair %c
}

define internal i64 @memory(i64 %n) noinline {
  %a = alloca [8 x i32], align 16
  %b = alloca i1, align 1
  %c = alloca %pair, align 8
  call void @llvm.lifetime.start.p0(ptr %a)
  call void @llvm.memset.p0.i64(ptr align 16 %a, i8 17, i64 32, i1 false)
  %second = getelementptr inbounds [8 x i32], ptr %a, i64 0, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %second, ptr align 16 @table, i64 16, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %second, i64 8, i1 false)
  %bit = trunc i64 %n to i1
  store i1 %bit, ptr %b, align 1
  %back = load volatile i1, ptr %b, align 1
  %made = call %pair @make(ptr %second, i64 %n)
  store %pair %made, ptr %c, align 8
  %field = getelementptr inbounds nuw %pair, ptr %c, i32 0, i32 0
  %p = load ptr, ptr %field, align 8
  store i32 7, ptr %p, align 4
  %number = ptrtoint ptr %p to i64
  %again = inttoptr i64 %number to ptr
  %v = load i32, ptr %again, align 4
  %sum = call i64 @sum(ptr %a, i64 8)
  call void @llvm.lifetime.end.p0(ptr %a)
  %x = zext i1 %back to i64
  %y = zext i32 %v to i64
  %s = mul i64 %sum, 31
  %t = add i64 %s, %x
  %u = mul i64 %t, 31
  %w = add i64 %u, %y
  ret i64 %w
}

define internal i64 @sum(ptr %p, i64 %n) noinline {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %at = phi ptr [ %p, %entry ], [ %after, %head ]
  %total = phi i64 [ 0, %entry ], [ %new, %head ]
  %v = load i32, ptr %at, align 4
  %x = sext i32 %v to i64
  %old = mul i64 %total, 3
  %new = add i64 %old, %x
  %after = getelementptr nuw i32, ptr %at, i64 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %head, label %exit
exit:
  ret i64 %new
}

define internal void @bump() noinline {
  %old = load i32, ptr @count
  %new = add i32 %old, 3
  store i32 %new, ptr @count
  %p = load ptr, ptr @places
  %q = getelementptr i8, ptr %p, i32 %new
  store i8 90, ptr %q
  ret void
}

define i32 @main() {
  %a = call i64 @variables(i1 true, i64 0)
  call void @print(i64 %a)
  %b = call i64 @variables(i1 false, i64 1)
  call void @print(i64 %b)
  %c = call i64 @memory(i64 5)
  call void @print(i64 %c)
  %d = call i64 @memory(i64 -2)
  call void @print(i64 %d)
  call void @bump()
  call void @bump()
  %e = load i64, ptr @bytes, align 1
  call void @print(i64 %e)
  ret i32 0
}
