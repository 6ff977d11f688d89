# Behind a branch that all items take alike they are still together: a phi is what its values are.

define void @k(ptr %a, i64 %m, i1 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br i1 %c, label %then, label %else
then:
  %moved = add i64 %w, %m
  %twice = mul i64 %m, 2
  br label %meet
else:
  %two = shl i64 %w, 1
  br label %meet
meet:
  %uniform = phi i64 [ %twice, %then ], [ %m, %else ]
  %same = phi i64 [ %moved, %then ], [ %w, %else ]
  %apart = phi i64 [ %moved, %then ], [ %two, %else ]
  %p = getelementptr i8, ptr %a, i64 %same
  store i8 1, ptr %p, align 1
  %q = getelementptr i8, ptr %a, i64 %apart
  store i8 1, ptr %q, align 1
  %r = getelementptr i8, ptr %a, i64 %uniform
  store i8 1, ptr %r, align 1
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
#>   uniform          branch        br i1 %c, label %then, label %else
#> block 1
#>   consecutive +1                 %moved = add i64 %w, %m
#>   uniform                        %twice = mul i64 %m, 2
#> block 2
#>   consecutive +2                 %two = shl i64 %w, 1
#> block 3
#>   uniform                        %uniform = phi i64 [ %twice, %then ], [ %m, %else ]
#>   consecutive +1                 %same = phi i64 [ %moved, %then ], [ %w, %else ]
#>   varying                        %apart = phi i64 [ %moved, %then ], [ %two, %else ]
#>   consecutive +1                 %p = getelementptr i8, ptr %a, i64 %same
#>   consecutive +1   vector store  store i8 1, ptr %p, align 1
#>   varying                        %q = getelementptr i8, ptr %a, i64 %apart
#>   varying          scatter       store i8 1, ptr %q, align 1
#>   uniform                        %r = getelementptr i8, ptr %a, i64 %uniform
#>   uniform          uniform store store i8 1, ptr %r, align 1
#> block 4
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
