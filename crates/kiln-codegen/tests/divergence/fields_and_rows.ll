# The address of a field has the stride of its struct; that of an element of a row has the stride of the row.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %p = getelementptr { float, i64 }, ptr %a, i64 %w, i32 1
  %v = load i64, ptr %p, align 8
  %q = getelementptr [4 x i64], ptr %a, i64 %w, i64 2
  store i64 %v, ptr %q, align 8
  %r = getelementptr [4 x i64], ptr %a, i64 %m, i64 %w
  store i64 %v, ptr %r, align 8
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
#>   consecutive +16                %p = getelementptr { float, i64 }, ptr %a, i64 %w, i32 1
#>   consecutive +16  gather        %v = load i64, ptr %p, align 8
#>   consecutive +32                %q = getelementptr [4 x i64], ptr %a, i64 %w, i64 2
#>   consecutive +32  scatter       store i64 %v, ptr %q, align 8
#>   consecutive +8                 %r = getelementptr [4 x i64], ptr %a, i64 %m, i64 %w
#>   consecutive +8   vector store  store i64 %v, ptr %r, align 8
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
