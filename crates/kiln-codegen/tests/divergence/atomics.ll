# Atomic operations run for one item after the other, and each item gets a value of its own, also from one place.

define void @k(ptr %a, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  %old = atomicrmw add ptr %a, i32 1 monotonic, align 4
  %pair = cmpxchg ptr %a, i32 0, i32 %x acq_rel monotonic, align 4
  %found = extractvalue { i32, i1 } %pair, 0
  %sum = add i32 %old, %found
  fence release
  %square = mul i32 %x, %x
  %more = mul i32 %square, %square
  %b0 = xor i32 %more, %sum
  %b1 = mul i32 %b0, %x
  %b2 = mul i32 %b1, %x
  %b3 = mul i32 %b2, %x
  %b4 = mul i32 %b3, %x
  store i32 %b4, ptr %r, align 4
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
#>   varying          item by item  %old = atomicrmw add ptr %a, i32 1 monotonic, align 4
#>   varying          item by item  %pair = cmpxchg ptr %a, i32 0, i32 %x acq_rel monotonic, align 4
#>   varying                        %found = extractvalue { i32, i1 } %pair, 0
#>   varying                        %sum = add i32 %old, %found
#>   varying          item by item  fence release
#>   varying                        %square = mul i32 %x, %x
#>   varying                        %more = mul i32 %square, %square
#>   varying                        %b0 = xor i32 %more, %sum
#>   varying                        %b1 = mul i32 %b0, %x
#>   varying                        %b2 = mul i32 %b1, %x
#>   varying                        %b3 = mul i32 %b2, %x
#>   varying                        %b4 = mul i32 %b3, %x
#>   consecutive +4   vector store  store i32 %b4, ptr %r, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
