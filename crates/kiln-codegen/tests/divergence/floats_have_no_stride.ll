# Floating-point values of an index differ without a stride: rounding is not the same for all.

define void @k(ptr %o, float %f, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %real = sitofp i32 %x to float
  %moved = fadd float %real, %f
  %whole = fptosi float %moved to i64
  %r = getelementptr float, ptr %o, i64 %whole
  store float %moved, ptr %r, align 4
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
#>   varying                        %real = sitofp i32 %x to float
#>   varying                        %moved = fadd float %real, %f
#>   varying                        %whole = fptosi float %moved to i64
#>   varying                        %r = getelementptr float, ptr %o, i64 %whole
#>   varying          scatter       store float %moved, ptr %r, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
