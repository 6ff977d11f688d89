# Blocks of an inner divergent branch are of some items, and so is where its ways meet, until the outer ones do.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %p = getelementptr i8, ptr %a, i64 %w
  %v = load i8, ptr %p, align 1
  %outer = icmp ult i64 %w, %m
  br i1 %outer, label %some, label %all
some:
  %inner = icmp eq i8 %v, 0
  br i1 %inner, label %few, label %meet
few:
  store i8 1, ptr %p, align 1
  br label %meet
meet:
  store i8 2, ptr %p, align 1
  br label %all
all:
  store i8 3, ptr %p, align 1
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
#>   consecutive +1                 %p = getelementptr i8, ptr %a, i64 %w
#>   consecutive +1   vector load   %v = load i8, ptr %p, align 1
#>   varying                        %outer = icmp ult i64 %w, %m
#>   varying          branch        br i1 %outer, label %some, label %all
#> block 1, some items
#>   varying                        %inner = icmp eq i8 %v, 0
#>   varying          branch        br i1 %inner, label %few, label %meet
#> block 2, some items
#>   consecutive +1   vector store  store i8 1, ptr %p, align 1
#> block 3, some items
#>   consecutive +1   vector store  store i8 2, ptr %p, align 1
#> block 4
#>   consecutive +1   vector store  store i8 3, ptr %p, align 1
#> block 5
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
