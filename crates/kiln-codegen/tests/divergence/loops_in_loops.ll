# An inner loop that items leave one by one does not make the outer one divergent: they meet behind it in each turn. An inner
# loop with a uniform bound in a divergent one is left by all that are there.

define void @inner(ptr %a, ptr %o, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %p = getelementptr i64, ptr %a, i64 %w
  %own = load i64, ptr %p, align 8
  br label %outer
outer:
  %i = phi i64 [ 0, %item ], [ %i1, %behind ]
  br label %turn
turn:
  %k = phi i64 [ 0, %outer ], [ %k1, %turn ]
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %own
  br i1 %more, label %turn, label %behind
behind:
  %turns = phi i64 [ %k1, %turn ]
  %q = getelementptr i64, ptr %o, i64 %i
  %known = load i64, ptr %q, align 8
  %i1 = add nuw i64 %i, 1
  %again_outer = icmp ult i64 %i1, %m
  br i1 %again_outer, label %outer, label %after
after:
  %r = getelementptr i64, ptr %o, i64 %w
  store i64 1, ptr %r, align 8
  br label %end
end:
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret void
}

define void @outer(ptr %a, ptr %o, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %p = getelementptr i64, ptr %a, i64 %w
  %own = load i64, ptr %p, align 8
  br label %outer
outer:
  %i = phi i64 [ 0, %item ], [ %i1, %behind ]
  br label %turn
turn:
  %k = phi i64 [ 0, %outer ], [ %k1, %turn ]
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %m
  br i1 %more, label %turn, label %behind
behind:
  %turns = phi i64 [ %k1, %turn ]
  %q = getelementptr i64, ptr %o, i64 %turns
  %known = load i64, ptr %q, align 8
  %i1 = add nuw i64 %i, 1
  %again_outer = icmp ult i64 %i1, %own
  br i1 %again_outer, label %outer, label %after
after:
  %r = getelementptr i64, ptr %o, i64 %w
  store i64 1, ptr %r, align 8
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
#> @inner: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +8                 %p = getelementptr i64, ptr %a, i64 %w
#>   consecutive +8   vector load   %own = load i64, ptr %p, align 8
#> block 1
#>   uniform                        %i = phi i64 [ 0, %item ], [ %i1, %behind ]
#> block 2, divergent loop
#>   uniform                        %k = phi i64 [ 0, %outer ], [ %k1, %turn ]
#>   uniform                        %k1 = add nuw i64 %k, 1
#>   varying                        %more = icmp ult i64 %k1, %own
#>   varying          branch        br i1 %more, label %turn, label %behind
#> block 3
#>   varying                        %turns = phi i64 [ %k1, %turn ]
#>   uniform                        %q = getelementptr i64, ptr %o, i64 %i
#>   uniform          uniform load  %known = load i64, ptr %q, align 8
#>   uniform                        %i1 = add nuw i64 %i, 1
#>   uniform                        %again_outer = icmp ult i64 %i1, %m
#>   uniform          branch        br i1 %again_outer, label %outer, label %after
#> block 4
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 1, ptr %r, align 8
#> block 5
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
#>
#> @outer: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +8                 %p = getelementptr i64, ptr %a, i64 %w
#>   consecutive +8   vector load   %own = load i64, ptr %p, align 8
#> block 1, divergent loop
#>   uniform                        %i = phi i64 [ 0, %item ], [ %i1, %behind ]
#> block 2, divergent loop
#>   uniform                        %k = phi i64 [ 0, %outer ], [ %k1, %turn ]
#>   uniform                        %k1 = add nuw i64 %k, 1
#>   uniform                        %more = icmp ult i64 %k1, %m
#>   uniform          branch        br i1 %more, label %turn, label %behind
#> block 3, divergent loop
#>   uniform                        %turns = phi i64 [ %k1, %turn ]
#>   uniform                        %q = getelementptr i64, ptr %o, i64 %turns
#>   uniform          uniform load  %known = load i64, ptr %q, align 8
#>   uniform                        %i1 = add nuw i64 %i, 1
#>   varying                        %again_outer = icmp ult i64 %i1, %own
#>   varying          branch        br i1 %again_outer, label %outer, label %after
#> block 4
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 1, ptr %r, align 8
#> block 5
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
