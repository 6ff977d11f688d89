# Stores of all items to one place are one store, that of the last; those to descending addresses are of a vector in reverse. A type that
# does not fill its bytes is stored item by item.

define void @k(ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %down = sub i64 1000, %w
  store i32 %x, ptr %o, align 4
  %p = getelementptr i32, ptr %o, i64 %down
  store i32 %x, ptr %p, align 4
  %q = getelementptr i64, ptr %o, i64 %down
  store i32 %x, ptr %q, align 4
  %odd = trunc i32 %x to i1
  %r = getelementptr i1, ptr %o, i64 %w
  store i1 %odd, ptr %r, align 1
  %b0 = mul i32 %x, %x
  %b1 = mul i32 %b0, %x
  %b2 = mul i32 %b1, %x
  %b3 = mul i32 %b2, %x
  %b4 = mul i32 %b3, %x
  store i32 %b4, ptr %p, align 4
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
#>   consecutive -1                 %down = sub i64 1000, %w
#>   uniform          uniform store store i32 %x, ptr %o, align 4
#>   consecutive -4                 %p = getelementptr i32, ptr %o, i64 %down
#>   consecutive -4   vector store  store i32 %x, ptr %p, align 4
#>   consecutive -8                 %q = getelementptr i64, ptr %o, i64 %down
#>   consecutive -8   scatter       store i32 %x, ptr %q, align 4
#>   varying                        %odd = trunc i32 %x to i1
#>   consecutive +1                 %r = getelementptr i1, ptr %o, i64 %w
#>   consecutive +1   item by item  store i1 %odd, ptr %r, align 1
#>   varying                        %b0 = mul i32 %x, %x
#>   varying                        %b1 = mul i32 %b0, %x
#>   varying                        %b2 = mul i32 %b1, %x
#>   varying                        %b3 = mul i32 %b2, %x
#>   varying                        %b4 = mul i32 %b3, %x
#>   consecutive -4   vector store  store i32 %b4, ptr %p, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
