# Memory that each item has for itself lies one block after the other: an address in it has the stride of a block. What an
# item finds there is its own.

define void @k(ptr %o, i64 %m, i32 %n) {
entry:
  %mine = alloca [4 x i32], align 16
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %p = getelementptr [4 x i32], ptr %mine, i64 0, i64 %m
  store i32 %x, ptr %p, align 4
  %q = getelementptr [4 x i32], ptr %mine, i64 0, i64 1
  %v = load i32, ptr %q, align 4
  %r = getelementptr i32, ptr %o, i64 %w
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
#> @k: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#>   consecutive +16                %p = getelementptr [4 x i32], ptr %mine, i64 0, i64 %m
#>   consecutive +16  scatter       store i32 %x, ptr %p, align 4
#>   consecutive +16                %q = getelementptr [4 x i32], ptr %mine, i64 0, i64 1
#>   consecutive +16  gather        %v = load i32, ptr %q, align 4
#>   consecutive +4                 %r = getelementptr i32, ptr %o, i64 %w
#>   consecutive +4   vector store  store i32 %v, ptr %r, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
