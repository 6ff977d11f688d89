# A loop with a uniform bound is divergent all the same if some items leave it by a break.

define void @k(ptr %a, ptr %o, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %k = phi i64 [ 0, %item ], [ %k1, %next_turn ]
  %at = add i64 %k, %w
  %p = getelementptr i64, ptr %a, i64 %at
  %v = load i64, ptr %p, align 8
  %stop = icmp eq i64 %v, 0
  br i1 %stop, label %broken, label %next_turn
next_turn:
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %m
  br i1 %more, label %turn, label %ended
broken:
  %r = getelementptr i64, ptr %o, i64 %w
  store i64 %k, ptr %r, align 8
  br label %after
ended:
  br label %after
after:
  %s = getelementptr i64, ptr %o, i64 %w
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
#> block 1, divergent loop
#>   uniform                        %k = phi i64 [ 0, %item ], [ %k1, %next_turn ]
#>   consecutive +1                 %at = add i64 %k, %w
#>   consecutive +8                 %p = getelementptr i64, ptr %a, i64 %at
#>   consecutive +8   vector load   %v = load i64, ptr %p, align 8
#>   varying                        %stop = icmp eq i64 %v, 0
#>   varying          branch        br i1 %stop, label %broken, label %next_turn
#> block 2, some items, divergent loop
#>   uniform                        %k1 = add nuw i64 %k, 1
#>   uniform                        %more = icmp ult i64 %k1, %m
#>   uniform          branch        br i1 %more, label %turn, label %ended
#> block 3, some items
#>   varying                        %k.lcssa = phi i64 [ %k, %turn ]
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 %k.lcssa, ptr %r, align 8
#> block 5
#>   consecutive +8                 %s = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 1, ptr %s, align 8
#> block 6
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
