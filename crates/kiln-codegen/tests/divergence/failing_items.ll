# The greatest site of all items, which the loop collects, is a reduction if all items come to it.

define i32 @all(ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %item ]
  %worst = phi i32 [ 0, %entry ], [ %worse, %item ]
  %r = getelementptr i32, ptr %o, i32 %x
  %site = load i32, ptr %r, align 4
  %worse = call i32 @llvm.umax.i32(i32 %worst, i32 %site)
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret i32 %worse
}

!0 = distinct !{!0, !1}
!1 = !{!"kiln.loop.items"}

#: divergence 512
#> @all: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %item ]
#>   varying                        %worst = phi i32 [ 0, %entry ], [ %worse, %item ]
#>   consecutive +4                 %r = getelementptr i32, ptr %o, i32 %x
#>   consecutive +4   vector load   %site = load i32, ptr %r, align 4
#>   varying                        %worse = call i32 @llvm.umax.i32(i32 %worst, i32 %site)
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
