# A struct is what its parts are: put together of uniform values it is uniform, and so are parts of it; with one other part it
# varies as a whole.

define void @k(ptr %o, float %f, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %u0 = insertvalue { float, i64 } poison, float %f, 0
  %u1 = insertvalue { float, i64 } %u0, i64 %m, 1
  %u2 = extractvalue { float, i64 } %u1, 1
  %v1 = insertvalue { float, i64 } %u0, i64 %w, 1
  %v2 = extractvalue { float, i64 } %v1, 0
  %r = getelementptr float, ptr %o, i64 %w
  store float %v2, ptr %r, align 4
  %q = getelementptr float, ptr %o, i64 %u2
  store float %v2, ptr %q, align 4
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
#>   uniform                        %u0 = insertvalue { float, i64 } poison, float %f, 0
#>   uniform                        %u1 = insertvalue { float, i64 } %u0, i64 %m, 1
#>   uniform                        %u2 = extractvalue { float, i64 } %u1, 1
#>   varying                        %v1 = insertvalue { float, i64 } %u0, i64 %w, 1
#>   varying                        %v2 = extractvalue { float, i64 } %v1, 0
#>   consecutive +4                 %r = getelementptr float, ptr %o, i64 %w
#>   consecutive +4   vector store  store float %v2, ptr %r, align 4
#>   uniform                        %q = getelementptr float, ptr %o, i64 %u2
#>   uniform          uniform store store float %v2, ptr %q, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
