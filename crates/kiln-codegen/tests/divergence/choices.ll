# A choice by a uniform condition has the stride that both values have; a choice by another condition has none.

define void @k(ptr %a, i64 %m, i1 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %moved = add i64 %w, %m
  %two = shl i64 %w, 1
  %uniform = select i1 %c, i64 %m, i64 5
  %same = select i1 %c, i64 %w, i64 %moved
  %apart = select i1 %c, i64 %w, i64 %two
  %test = icmp ult i64 %w, %m
  %varying = select i1 %test, i64 %m, i64 5
  %p = getelementptr i8, ptr %a, i64 %same
  store i8 1, ptr %p, align 1
  %q = getelementptr i8, ptr %a, i64 %apart
  store i8 1, ptr %q, align 1
  %r = getelementptr i8, ptr %a, i64 %varying
  store i8 1, ptr %r, align 1
  %s = getelementptr i8, ptr %a, i64 %uniform
  store i8 1, ptr %s, align 1
  br label %end
end:
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"kiln.loop.items"}

#: divergence 512
#> @k: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +1                 %moved = add i64 %w, %m
#>   consecutive +2                 %two = shl i64 %w, 1
#>   uniform                        %uniform = select i1 %c, i64 %m, i64 5
#>   consecutive +1                 %same = select i1 %c, i64 %w, i64 %moved
#>   varying                        %apart = select i1 %c, i64 %w, i64 %two
#>   varying                        %test = icmp ult i64 %w, %m
#>   varying                        %varying = select i1 %test, i64 %m, i64 5
#>   consecutive +1                 %p = getelementptr i8, ptr %a, i64 %same
#>   consecutive +1   vector store  store i8 1, ptr %p, align 1
#>   varying                        %q = getelementptr i8, ptr %a, i64 %apart
#>   varying          scatter       store i8 1, ptr %q, align 1
#>   varying                        %r = getelementptr i8, ptr %a, i64 %varying
#>   varying          scatter       store i8 1, ptr %r, align 1
#>   uniform                        %s = getelementptr i8, ptr %a, i64 %uniform
#>   uniform          uniform store store i8 1, ptr %s, align 1
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
