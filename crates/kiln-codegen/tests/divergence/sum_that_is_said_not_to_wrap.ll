# A sum that wraps for no item that computes it is consecutive where all items do. Where only some do, that of the first
# lane may be of an item that does not, and wrap.

define void @k(ptr %a, i32 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %all = add nsw i32 %x, %m
  %all_wide = sext i32 %all to i64
  %p = getelementptr float, ptr %a, i64 %all_wide
  %v = load float, ptr %p, align 4
  %test = fcmp olt float %v, 0.0
  br i1 %test, label %some, label %end
some:
  %few = add nsw i32 %x, %m
  %few_wide = sext i32 %few to i64
  %q = getelementptr float, ptr %a, i64 %few_wide
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
#>   consecutive +1                 %all = add nsw i32 %x, %m
#>   consecutive +1                 %all_wide = sext i32 %all to i64
#>   consecutive +4                 %p = getelementptr float, ptr %a, i64 %all_wide
#>   consecutive +4   vector load   %v = load float, ptr %p, align 4
#>   varying                        %test = fcmp olt float %v, 0.000000e+00
#>   varying          branch        br i1 %test, label %some, label %end
#> block 1, some items
#>   consecutive +1                 %few = add nsw i32 %x, %m
#>   varying                        %few_wide = sext i32 %few to i64
#>   varying                        %q = getelementptr float, ptr %a, i64 %few_wide
#>   varying          scatter       store float 1.000000e+00, ptr %q, align 4
#> block 2
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
