# A switch is a tree of branches: one on a uniform value divides no items, one on another does.

define void @uniform(ptr %o, i32 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  switch i32 %c, label %other [ i32 1, label %one
                                i32 5, label %five ]
one:
  br label %meet
five:
  br label %meet
other:
  br label %meet
meet:
  %v = phi i32 [ 10, %one ], [ 50, %five ], [ %c, %other ]
  store i32 %v, ptr %r, align 4
  br label %end
end:
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret void
}

define void @varying(ptr %o, i32 %c, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  %r = getelementptr i32, ptr %o, i64 %w
  %own = load i32, ptr %r, align 4
  switch i32 %own, label %other [ i32 1, label %one
                                  i32 5, label %five ]
one:
  store i32 7, ptr %r, align 4
  br label %meet
five:
  br label %meet
other:
  br label %meet
meet:
  %v = phi i32 [ 10, %one ], [ 50, %five ], [ %c, %other ]
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
