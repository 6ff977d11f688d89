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
