# A uniform branch that only some items come to splits those from the others: where its ways meet, phis differ.

define void @k(ptr %a, i64 %m, i1 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %test = icmp ult i64 %w, %m
  br i1 %test, label %some, label %end
some:
  br i1 %c, label %then, label %meet
then:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %meet
meet:
  %merged = phi i64 [ 1, %some ], [ 2, %then ]
  %q = getelementptr i8, ptr %a, i64 %merged
  store i8 2, ptr %q, align 1
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
