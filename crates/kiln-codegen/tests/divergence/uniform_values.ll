# What is computed of arguments is the same for all items, and so is what is loaded from such an address.

define void @k(ptr %a, i64 %m, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %m2 = mul i64 %m, 3
  %p = getelementptr float, ptr %a, i64 %m2
  %v = load float, ptr %p, align 4
  %w = fadd float %v, 1.0
  %root = call float @llvm.sqrt.f32(float %w)
  store float %root, ptr %p, align 4
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
#>   uniform                        %m2 = mul i64 %m, 3
#>   uniform                        %p = getelementptr float, ptr %a, i64 %m2
#>   uniform          uniform load  %v = load float, ptr %p, align 4
#>   uniform                        %w = fadd float %v, 1.000000e+00
#>   uniform                        %root = call float @llvm.sqrt.f32(float %w)
#>   uniform          uniform store store float %root, ptr %p, align 4
#> block 1
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
