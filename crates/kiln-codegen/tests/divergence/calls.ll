# A call that nothing is known of runs for one item after the other. An intrinsic that computes each lane is a value. A function with
# a vector variant is called once, if pointers are the same for all items.

declare float @unknown(float)
declare float @known(ptr, float) "kiln.state"="0" "kiln.lanes"="16"

define void @k(ptr %a, ptr %o, float %f, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr float, ptr %o, i64 %w
  %v = load float, ptr %r, align 4
  %uniform = call float @llvm.fabs.f32(float %f)
  %varying = call float @llvm.fma.f32(float %v, float %f, float %uniform)
  %opaque = call float @unknown(float %varying)
  %once = call float @known(ptr %a, float %opaque)
  %apart = call float @known(ptr %r, float %once)
  %b0 = fmul float %apart, %v
  %b1 = fmul float %b0, %v
  %b2 = fmul float %b1, %v
  %b3 = fmul float %b2, %v
  %b4 = fmul float %b3, %v
  %b5 = fmul float %b4, %v
  %b6 = fmul float %b5, %v
  %b7 = fmul float %b6, %v
  store float %b7, ptr %r, align 4
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
#>   consecutive +4                 %r = getelementptr float, ptr %o, i64 %w
#>   consecutive +4   vector load   %v = load float, ptr %r, align 4
#>   uniform                        %uniform = call float @llvm.fabs.f32(float %f)
#>   varying                        %varying = call float @llvm.fma.f32(float %v, float %f, float %uniform)
#>   varying          item by item  %opaque = call float @unknown(float %varying)
#>   varying          vector call   %once = call float @known(ptr %a, float %opaque)
#>   varying          item by item  %apart = call float @known(ptr %r, float %once)
#>   varying                        %b0 = fmul float %apart, %v
#>   varying                        %b1 = fmul float %b0, %v
#>   varying                        %b2 = fmul float %b1, %v
#>   varying                        %b3 = fmul float %b2, %v
#>   varying                        %b4 = fmul float %b3, %v
#>   varying                        %b5 = fmul float %b4, %v
#>   varying                        %b6 = fmul float %b5, %v
#>   varying                        %b7 = fmul float %b6, %v
#>   consecutive +4   vector store  store float %b7, ptr %r, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
