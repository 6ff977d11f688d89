# All items take the same turns of a loop with a uniform bound: its counter is uniform, inside and behind, what it sums up is not.

define void @k(ptr %a, ptr %o, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %k = phi i64 [ 0, %item ], [ %k1, %turn ]
  %sum = phi float [ 0.0, %item ], [ %sum1, %turn ]
  %p = getelementptr float, ptr %a, i64 %k
  %uniform = load float, ptr %p, align 4
  %at = add i64 %k, %w
  %q = getelementptr float, ptr %a, i64 %at
  %vector = load float, ptr %q, align 4
  %product = fmul float %uniform, %vector
  %sum1 = fadd float %sum, %product
  %k1 = add nuw i64 %k, 1
  %more = icmp ult i64 %k1, %m
  br i1 %more, label %turn, label %after
after:
  %turns = phi i64 [ %k1, %turn ]
  %total = phi float [ %sum1, %turn ]
  %r = getelementptr float, ptr %o, i64 %w
  store float %total, ptr %r, align 4
  store i64 %turns, ptr %o, align 8
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
#> block 1
#>   uniform                        %k = phi i64 [ 0, %item ], [ %k1, %turn ]
#>   varying                        %sum = phi float [ 0.000000e+00, %item ], [ %sum1, %turn ]
#>   uniform                        %p = getelementptr float, ptr %a, i64 %k
#>   uniform          uniform load  %uniform = load float, ptr %p, align 4
#>   consecutive +1                 %at = add i64 %k, %w
#>   consecutive +4                 %q = getelementptr float, ptr %a, i64 %at
#>   consecutive +4   vector load   %vector = load float, ptr %q, align 4
#>   varying                        %product = fmul float %uniform, %vector
#>   varying                        %sum1 = fadd float %sum, %product
#>   uniform                        %k1 = add nuw i64 %k, 1
#>   uniform                        %more = icmp ult i64 %k1, %m
#>   uniform          branch        br i1 %more, label %turn, label %after
#> block 2
#>   uniform                        %turns = phi i64 [ %k1, %turn ]
#>   varying                        %total = phi float [ %sum1, %turn ]
#>   consecutive +4                 %r = getelementptr float, ptr %o, i64 %w
#>   consecutive +4   vector store  store float %total, ptr %r, align 4
#>   uniform          uniform store store i64 %turns, ptr %o, align 8
#> block 3
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
