# The index of an item grows by one, and its sums and products with constants have strides. An address is consecutive
# with the bytes of an element. A difference that is the same for all keeps the stride 0.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %moved = add i64 %w, %m
  %back = sub i64 %m, %w
  %tripled = mul i64 %w, 3
  %shifted = shl i64 %w, 2
  %zero = sub i64 %moved, %w
  %p = getelementptr float, ptr %a, i64 %moved
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %a, i64 %back
  store float %v, ptr %q, align 4
  %r = getelementptr float, ptr %a, i64 %tripled
  store float %v, ptr %r, align 4
  %s = getelementptr i8, ptr %a, i64 %shifted
  store float %v, ptr %s, align 4
  %u = getelementptr i8, ptr %a, i64 %zero
  store float %v, ptr %u, align 4
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
#>   consecutive +1                 %moved = add i64 %w, %m
#>   consecutive -1                 %back = sub i64 %m, %w
#>   consecutive +3                 %tripled = mul i64 %w, 3
#>   consecutive +4                 %shifted = shl i64 %w, 2
#>   consecutive +0                 %zero = sub i64 %moved, %w
#>   consecutive +4                 %p = getelementptr float, ptr %a, i64 %moved
#>   consecutive +4   vector load   %v = load float, ptr %p, align 4
#>   consecutive -4                 %q = getelementptr float, ptr %a, i64 %back
#>   consecutive -4   vector store  store float %v, ptr %q, align 4
#>   consecutive +12                %r = getelementptr float, ptr %a, i64 %tripled
#>   consecutive +12  scatter       store float %v, ptr %r, align 4
#>   consecutive +4                 %s = getelementptr i8, ptr %a, i64 %shifted
#>   consecutive +4   vector store  store float %v, ptr %s, align 4
#>   consecutive +0                 %u = getelementptr i8, ptr %a, i64 %zero
#>   consecutive +0   scatter       store float %v, ptr %u, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
