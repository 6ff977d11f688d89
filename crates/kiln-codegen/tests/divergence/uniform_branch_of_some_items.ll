# A uniform branch that only some items come to splits those from the others: where its ways meet, phis differ.

define void @k(ptr %a, i64 %m, i1 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %o = getelementptr i8, ptr %a, i64 %w
  store i8 3, ptr %o, align 1
  %test = icmp ult i64 %w, %m
  br i1 %test, label %some, label %end
some:
  br i1 %c, label %then, label %meet
then:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %meet
meet:
  %merged = phi i64 [ 1, %some ], [ 2, %then ]
  %q = getelementptr i8, ptr %a, i64 %merged
  store i8 2, ptr %q, align 1
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
#>   consecutive +1                 %o = getelementptr i8, ptr %a, i64 %w
#>   consecutive +1   vector store  store i8 3, ptr %o, align 1
#>   varying                        %test = icmp ult i64 %w, %m
#>   varying          branch        br i1 %test, label %some, label %end
#> block 1, some items
#>   uniform          branch        br i1 %c, label %then, label %meet
#> block 2, some items
#>   consecutive +1                 %p = getelementptr i8, ptr %a, i64 %w
#>   consecutive +1   vector store  store i8 1, ptr %p, align 1
#> block 3, some items
#>   varying                        %merged = phi i64 [ 1, %some ], [ 2, %then ]
#>   varying                        %q = getelementptr i8, ptr %a, i64 %merged
#>   varying          scatter       store i8 2, ptr %q, align 1
#> block 4
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
