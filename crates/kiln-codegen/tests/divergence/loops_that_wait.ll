# A loop that items leave one by one, as memory says that does not change in it, or with atomic operations, may wait for an item of the
# same vector: its items run by themselves.

define void @flag(ptr %flag, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %v = load i32, ptr %flag, align 4
  %there = icmp eq i32 %v, %x
  br i1 %there, label %after, label %turn
after:
  %r = getelementptr i64, ptr %o, i64 %w
  store i64 1, ptr %r, align 8
  br label %end
end:
  %next = add nuw nsw i32 %x, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %item, label %done, !llvm.loop !0
done:
  ret void
}

define void @lock(ptr %lock, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 acq_rel monotonic, align 4
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %after, label %turn
after:
  %r = getelementptr i64, ptr %o, i64 %w
  store i64 1, ptr %r, align 8
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
#> @flag: one item after the other: a loop may wait for another item
#>
#> @lock: one item after the other: a loop may wait for another item
