# Where only the items of a range have an effect, the loop runs for these: no code is of some items, and the condition is known.

define void @k(ptr %o, i32 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  %out = icmp sgt i32 %x, %m
  br i1 %out, label %end, label %inside
inside:
  %v = load i32, ptr %r, align 4
  %q = sdiv i32 %v, %m
  store i32 %q, ptr %r, align 4
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
#>   consecutive +1                 %9 = phi i32 [ 0, %10 ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %9 to i64
#>   consecutive +4                 %r = getelementptr i32, ptr %o, i64 %w
#>   varying                        %out = icmp sgt i32 %9, %m
#>   uniform          branch        br i1 false, label %end, label %inside
#> block 1
#>   consecutive +4   vector load   %v = load i32, ptr %r, align 4
#>   varying                        %q = sdiv i32 %v, %m
#>   consecutive +4   vector store  store i32 %q, ptr %r, align 4
#> block 2
#>   consecutive +1                 %next = add nuw nsw i32 %9, 1
#>   varying                        %again = icmp slt i32 %next, %13
