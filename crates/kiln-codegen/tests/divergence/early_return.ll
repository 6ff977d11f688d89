# Items that return early go to the end of the loop over items: what follows is of some.

define void @k(ptr %o, i32 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  store i32 1, ptr %r, align 4
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
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +4                 %r = getelementptr i32, ptr %o, i64 %w
#>   consecutive +4   vector store  store i32 1, ptr %r, align 4
#>   varying                        %out = icmp sgt i32 %x, %m
#>   varying          branch        br i1 %out, label %end, label %inside
#> block 1, some items
#>   consecutive +4   vector load   %v = load i32, ptr %r, align 4
#>   varying                        %q = sdiv i32 %v, %m
#>   consecutive +4   vector store  store i32 %q, ptr %r, align 4
#> block 2
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
