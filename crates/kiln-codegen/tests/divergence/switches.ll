# A switch is a tree of branches: one on a uniform value divides no items, one on another does.

define void @uniform(ptr %o, i32 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  switch i32 %c, label %other [ i32 1, label %one
                                i32 5, label %five ]
one:
  br label %meet
five:
  br label %meet
other:
  br label %meet
meet:
  %v = phi i32 [ 10, %one ], [ 50, %five ], [ %c, %other ]
  store i32 %v, ptr %r, align 4
  br label %end
end:
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret void
}

define void @varying(ptr %o, i32 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  %own = load i32, ptr %r, align 4
  switch i32 %own, label %other [ i32 1, label %one
                                  i32 5, label %five ]
one:
  store i32 7, ptr %r, align 4
  br label %meet
five:
  br label %meet
other:
  br label %meet
meet:
  %v = phi i32 [ 10, %one ], [ 50, %five ], [ %c, %other ]
  store i32 %v, ptr %r, align 4
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
#> @uniform: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +4                 %r = getelementptr i32, ptr %o, i64 %w
#> block 1
#>   uniform                        %Pivot = icmp slt i32 %c, 5
#>   uniform          branch        br i1 %Pivot, label %LeafBlock, label %LeafBlock1
#> block 2
#>   uniform                        %SwitchLeaf2 = icmp eq i32 %c, 5
#>   uniform          branch        br i1 %SwitchLeaf2, label %five, label %other
#> block 4
#>   uniform                        %SwitchLeaf = icmp eq i32 %c, 1
#>   uniform          branch        br i1 %SwitchLeaf, label %one, label %other
#> block 7
#>   uniform                        %v = phi i32 [ 10, %one ], [ 50, %five ], [ %c, %other ]
#>   consecutive +4   vector store  store i32 %v, ptr %r, align 4
#> block 8
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
#>
#> @varying: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +4                 %r = getelementptr i32, ptr %o, i64 %w
#>   consecutive +4   vector load   %own = load i32, ptr %r, align 4
#> block 1
#>   varying                        %Pivot = icmp slt i32 %own, 5
#>   varying          branch        br i1 %Pivot, label %LeafBlock, label %LeafBlock1
#> block 2, some items
#>   varying                        %SwitchLeaf2 = icmp eq i32 %own, 5
#>   varying          branch        br i1 %SwitchLeaf2, label %five, label %other
#> block 4, some items
#>   varying                        %SwitchLeaf = icmp eq i32 %own, 1
#>   varying          branch        br i1 %SwitchLeaf, label %one, label %other
#> block 5, some items
#>   consecutive +4   vector store  store i32 7, ptr %r, align 4
#> block 7
#>   varying                        %v = phi i32 [ 10, %one ], [ 50, %five ], [ %c, %other ]
#>   consecutive +4   vector store  store i32 %v, ptr %r, align 4
#> block 8
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
