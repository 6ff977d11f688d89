# An extension is consecutive only where the narrow value is known not to wrap: an index plus a small constant, but not plus
# an argument. What is extended without sign must not be negative either.

define void @k(ptr %a, i32 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %near = sub i32 %x, 1
  %far = add i32 %x, %m
  %near_signed = sext i32 %near to i64
  %near_unsigned = zext i32 %near to i64
  %far_signed = sext i32 %far to i64
  %far_unsigned = zext i32 %far to i64
  %p = getelementptr float, ptr %a, i64 %near_signed
  store float 1.0, ptr %p, align 4
  %q = getelementptr float, ptr %a, i64 %far_signed
  store float 1.0, ptr %q, align 4
  %s = getelementptr i8, ptr %a, i64 %near_unsigned
  store i8 1, ptr %s, align 1
  %t = getelementptr i8, ptr %a, i64 %far_unsigned
  store i8 1, ptr %t, align 1
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
#>   consecutive +1                 %near = sub i32 %x, 1
#>   consecutive +1                 %far = add i32 %x, %m
#>   consecutive +1                 %near_signed = sext i32 %near to i64
#>   varying                        %near_unsigned = zext i32 %near to i64
#>   varying                        %far_signed = sext i32 %far to i64
#>   varying                        %far_unsigned = zext i32 %far to i64
#>   consecutive +4                 %p = getelementptr float, ptr %a, i64 %near_signed
#>   consecutive +4   vector store  store float 1.000000e+00, ptr %p, align 4
#>   varying                        %q = getelementptr float, ptr %a, i64 %far_signed
#>   varying          scatter       store float 1.000000e+00, ptr %q, align 4
#>   varying                        %s = getelementptr i8, ptr %a, i64 %near_unsigned
#>   varying          scatter       store i8 1, ptr %s, align 1
#>   varying                        %t = getelementptr i8, ptr %a, i64 %far_unsigned
#>   varying          scatter       store i8 1, ptr %t, align 1
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
