# Items leave a loop with a bound of their own in different turns: its counter is uniform among those that are left, and
# varies behind the loop.

define void @k(ptr %a, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %p = getelementptr i64, ptr %a, i64 %w
  %m = load i64, ptr %p, align 8
  br label %turn
turn:
  %k = phi i64 [ 0, %item ], [ %k1, %turn ]
  %q = getelementptr i64, ptr %a, i64 %k
  %uniform = load i64, ptr %q, align 8
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %m
  br i1 %more, label %turn, label %after
after:
  %turns = phi i64 [ %k1, %turn ]
  %last = phi i64 [ %uniform, %turn ]
  %r = getelementptr i64, ptr %o, i64 %w
  store i64 %turns, ptr %r, align 8
  %s = getelementptr i64, ptr %o, i64 %last
  store i64 1, ptr %s, align 8
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
#>   consecutive +8                 %p = getelementptr i64, ptr %a, i64 %w
#>   consecutive +8   vector load   %m = load i64, ptr %p, align 8
#> block 1, divergent loop
#>   uniform                        %k = phi i64 [ 0, %item ], [ %k1, %turn ]
#>   uniform                        %q = getelementptr i64, ptr %a, i64 %k
#>   uniform          uniform load  %uniform = load i64, ptr %q, align 8
#>   uniform                        %k1 = add nuw i64 %k, 1
#>   varying                        %more = icmp ult i64 %k1, %m
#>   varying          branch        br i1 %more, label %turn, label %after
#> block 2
#>   varying                        %turns = phi i64 [ %k1, %turn ]
#>   varying                        %last = phi i64 [ %uniform, %turn ]
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 %turns, ptr %r, align 8
#>   varying                        %s = getelementptr i64, ptr %o, i64 %last
#>   varying          scatter       store i64 1, ptr %s, align 8
#> block 3
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
