# A callee that may get a vector variant is analysed as its lanes run it: pointers are the same for all, the item's place in its row
# is consecutive, other arguments vary. The first lane may not be active: a sum that is said not to wrap may wrap for it.

define float @plain(ptr %a, float %f, i1 %c) "kiln.state"="0" {
entry:
  %v = load float, ptr %a, align 4
  br i1 %c, label %then, label %meet
then:
  %w = fadd float %v, %f
  br label %meet
meet:
  %m = phi float [ %v, %entry ], [ %w, %then ]
  %square = fmul float %m, %m
  ret float %square
}

define float @placed(ptr %ctx, i64 %gx, i64 %gy, i64 %gz, i64 %x, ptr %a) "kiln.state"="5" {
  %p = getelementptr float, ptr %a, i64 %x
  %v = load float, ptr %p, align 4
  %square = fmul float %v, %v
  ret float %square
}

define float @summed(ptr %ctx, i64 %gx, i64 %gy, i64 %gz, i64 %x, ptr %a) "kiln.state"="5" {
  %m = load i32, ptr %a, align 4
  %short = trunc i64 %x to i32
  %sum = add nsw i32 %short, %m
  %wide = sext i32 %sum to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p, align 4
  %cube = fmul float %v, %v
  %fourth = fmul float %cube, %v
  %fifth = fmul float %fourth, %v
  %sixth = fmul float %fifth, %v
  ret float %sixth
}

define i128 @wide(i128 %v) "kiln.state"="0" {
  ret i128 %v
}

!0 = distinct !{!0, !1}
!1 = !{!"kiln.loop.items"}

#: divergence 512
#> @plain: vectors of 16 items
#> block 0
#>   consecutive +1                 %6 = phi i64 [ 0, %4 ], [ %9, %plain.exit ]
#>   uniform          uniform load  %v.i = load float, ptr %0, align 4
#>   varying          branch        br i1 %8, label %then.i, label %plain.exit
#> block 1, some items
#>   varying                        %w.i = fadd float %v.i, %7
#> block 2
#>   varying                        %m.i = phi float [ %v.i, %5 ], [ %w.i, %then.i ]
#>   varying                        %square.i = fmul float %m.i, %m.i
#>   consecutive +1                 %9 = add nuw nsw i64 %6, 1
#>   varying                        %10 = icmp slt i64 %9, 16
#>
#> @placed: vectors of 16 items
#> block 0
#>   consecutive +1                 %10 = phi i64 [ %4, %7 ], [ %11, %9 ]
#>   consecutive +4                 %p.i = getelementptr float, ptr %5, i64 %10
#>   consecutive +4   vector load   %v.i = load float, ptr %p.i, align 4
#>   varying                        %square.i = fmul float %v.i, %v.i
#>   consecutive +1                 %11 = add nuw nsw i64 %10, 1
#>   varying                        %12 = icmp slt i64 %11, %8
#>
#> @summed: vectors of 16 items
#> block 0
#>   consecutive +1                 %10 = phi i64 [ %4, %7 ], [ %11, %9 ]
#>   uniform          uniform load  %m.i = load i32, ptr %5, align 4
#>   consecutive +1                 %short.i = trunc i64 %10 to i32
#>   consecutive +1                 %sum.i = add nsw i32 %short.i, %m.i
#>   varying                        %wide.i = sext i32 %sum.i to i64
#>   varying                        %p.i = getelementptr float, ptr %5, i64 %wide.i
#>   varying          gather        %v.i = load float, ptr %p.i, align 4
#>   varying                        %cube.i = fmul float %v.i, %v.i
#>   varying                        %fourth.i = fmul float %cube.i, %v.i
#>   varying                        %fifth.i = fmul float %fourth.i, %v.i
#>   varying                        %sixth.i = fmul float %fifth.i, %v.i
#>   consecutive +1                 %11 = add nuw nsw i64 %10, 1
#>   varying                        %12 = icmp slt i64 %11, %8
#>
#> @wide: one item after the other: an argument or the result has no vector form
