# What all items load from one place is the same for all, also where items write: they load at once, and items that write
# there without an order race. A volatile or atomic load is made for each item.

define void @k(ptr %a, ptr %o, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i64, ptr %o, i64 %w
  %v = load i64, ptr %a, align 8
  store i64 %v, ptr %r, align 8
  %again_v = load i64, ptr %a, align 8
  %q = getelementptr i64, ptr %o, i64 %again_v
  store i64 %m, ptr %q, align 8
  br label %end
end:
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret void
}

define void @ordered(ptr %a, ptr %o, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i64, ptr %o, i64 %w
  %v = load volatile i64, ptr %a, align 8
  %u = load atomic i64, ptr %a monotonic, align 8
  %sum = add i64 %u, %v
  store i64 %sum, ptr %r, align 8
  store atomic i64 %m, ptr %a release, align 8
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
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   uniform          uniform load  %v = load i64, ptr %a, align 8
#>   consecutive +8   vector store  store i64 %v, ptr %r, align 8
#>   uniform          uniform load  %again_v = load i64, ptr %a, align 8
#>   uniform                        %q = getelementptr i64, ptr %o, i64 %again_v
#>   uniform          uniform store store i64 %m, ptr %q, align 8
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
#>
#> @ordered: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   uniform          item by item  %v = load volatile i64, ptr %a, align 8
#>   uniform          item by item  %u = load atomic i64, ptr %a monotonic, align 8
#>   varying                        %sum = add i64 %u, %v
#>   consecutive +8   vector store  store i64 %sum, ptr %r, align 8
#>   uniform          item by item  store atomic i64 %m, ptr %a release, align 8
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
