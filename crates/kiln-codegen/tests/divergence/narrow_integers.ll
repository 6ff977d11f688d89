# A truncated index keeps its stride, modulo the narrow type; extended again it has none, since it wraps.

define void @k(ptr %a, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %byte = trunc i32 %x to i8
  %wide = zext i8 %byte to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 %byte, ptr %p, align 1
  %short = trunc i32 %x to i16
  %more = add i16 %short, 7
  %q = getelementptr i16, ptr %a, i32 %x
  store i16 %more, ptr %q, align 2
  %odd = trunc i32 %x to i1
  %choice = select i1 %odd, i16 %more, i16 %short
  store i16 %choice, ptr %q, align 2
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
#>   consecutive +1                 %byte = trunc i32 %x to i8
#>   varying                        %wide = zext i8 %byte to i64
#>   varying                        %p = getelementptr i8, ptr %a, i64 %wide
#>   varying          scatter       store i8 %byte, ptr %p, align 1
#>   consecutive +1                 %short = trunc i32 %x to i16
#>   consecutive +1                 %more = add i16 %short, 7
#>   consecutive +2                 %q = getelementptr i16, ptr %a, i32 %x
#>   consecutive +2   vector store  store i16 %more, ptr %q, align 2
#>   varying                        %odd = trunc i32 %x to i1
#>   varying                        %choice = select i1 %odd, i16 %more, i16 %short
#>   consecutive +2   vector store  store i16 %choice, ptr %q, align 2
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
