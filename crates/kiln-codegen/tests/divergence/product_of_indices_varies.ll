# A product of two consecutive values, or with a value that is no constant, has no stride.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %square = mul i64 %w, %w
  %scaled = mul i64 %w, %m
  %shifted = shl i64 %w, %m
  %p = getelementptr float, ptr %a, i64 %square
  store float 1.0, ptr %p, align 4
  %q = getelementptr float, ptr %a, i64 %scaled
  store float 1.0, ptr %q, align 4
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
#>   varying                        %square = mul i64 %w, %w
#>   varying                        %scaled = mul i64 %w, %m
#>   varying                        %shifted = shl i64 %w, %m
#>   varying                        %p = getelementptr float, ptr %a, i64 %square
#>   varying          scatter       store float 1.000000e+00, ptr %p, align 4
#>   varying                        %q = getelementptr float, ptr %a, i64 %scaled
#>   varying          scatter       store float 1.000000e+00, ptr %q, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
