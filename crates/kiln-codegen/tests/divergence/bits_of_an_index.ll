# Bits of an index have no stride, but `or` without common bits is a sum.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %four = shl i64 %w, 2
  %sum = or disjoint i64 %four, 3
  %union = or i64 %four, %m
  %low = and i64 %w, 3
  %high = lshr i64 %w, 2
  %p = getelementptr i8, ptr %a, i64 %sum
  store i8 1, ptr %p, align 1
  %q = getelementptr i8, ptr %a, i64 %union
  store i8 1, ptr %q, align 1
  %r = getelementptr i8, ptr %a, i64 %low
  store i8 1, ptr %r, align 1
  %s = getelementptr i8, ptr %a, i64 %high
  store i8 1, ptr %s, align 1
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
#>   consecutive +4                 %four = shl i64 %w, 2
#>   consecutive +4                 %sum = or disjoint i64 %four, 3
#>   varying                        %union = or i64 %four, %m
#>   varying                        %low = and i64 %w, 3
#>   varying                        %high = lshr i64 %w, 2
#>   consecutive +4                 %p = getelementptr i8, ptr %a, i64 %sum
#>   consecutive +4   scatter       store i8 1, ptr %p, align 1
#>   varying                        %q = getelementptr i8, ptr %a, i64 %union
#>   varying          scatter       store i8 1, ptr %q, align 1
#>   varying                        %r = getelementptr i8, ptr %a, i64 %low
#>   varying          scatter       store i8 1, ptr %r, align 1
#>   varying                        %s = getelementptr i8, ptr %a, i64 %high
#>   varying          scatter       store i8 1, ptr %s, align 1
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
