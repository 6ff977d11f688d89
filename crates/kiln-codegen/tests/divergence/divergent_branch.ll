# Only some items run the blocks between a divergent branch and the block where its ways meet. There a phi differs, even if its
# values are constants; a uniform value of before does not.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %twice = mul i64 %m, 2
  %test = icmp ult i64 %w, %m
  br i1 %test, label %then, label %else
then:
  %in_then = add i64 %m, 1
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %meet
else:
  %q = getelementptr i8, ptr %a, i64 %m
  store i8 2, ptr %q, align 1
  br label %meet
meet:
  %merged = phi i64 [ %in_then, %then ], [ 7, %else ]
  %after = add i64 %twice, 1
  %r = getelementptr i8, ptr %a, i64 %merged
  store i8 3, ptr %r, align 1
  %s = getelementptr i8, ptr %a, i64 %after
  store i8 4, ptr %s, align 1
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
#>   uniform                        %twice = mul i64 %m, 2
#>   varying                        %test = icmp ult i64 %w, %m
#>   varying          branch        br i1 %test, label %then, label %else
#> block 1, some items
#>   uniform                        %in_then = add i64 %m, 1
#>   consecutive +1                 %p = getelementptr i8, ptr %a, i64 %w
#>   consecutive +1   vector store  store i8 1, ptr %p, align 1
#> block 2, some items
#>   uniform                        %q = getelementptr i8, ptr %a, i64 %m
#>   uniform          uniform store store i8 2, ptr %q, align 1
#> block 3
#>   varying                        %merged = phi i64 [ %in_then, %then ], [ 7, %else ]
#>   uniform                        %after = add i64 %twice, 1
#>   varying                        %r = getelementptr i8, ptr %a, i64 %merged
#>   varying          scatter       store i8 3, ptr %r, align 1
#>   uniform                        %s = getelementptr i8, ptr %a, i64 %after
#>   uniform          uniform store store i8 4, ptr %s, align 1
#> block 4
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
