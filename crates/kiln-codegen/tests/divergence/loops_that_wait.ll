# A loop that items leave one by one, as an atomic operation or memory at one address says, may wait for an item of the same vector:
# its items run by themselves. A loop with atomic operations that do not decide when it ends does not wait.

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

define void @counts(ptr %counts, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %i = phi i32 [ %x, %item ], [ %j, %turn ]
  %a = getelementptr i32, ptr %counts, i32 %i
  %old = atomicrmw add ptr %a, i32 1 monotonic, align 4
  %j = add i32 %i, 7
  %more = icmp slt i32 %j, 1000
  br i1 %more, label %turn, label %after
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

define void @attempts(ptr %lock, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %i = phi i32 [ %x, %item ], [ %j, %next_attempt ]
  %pair = cmpxchg ptr %lock, i32 0, i32 1 acq_rel monotonic, align 4
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %after, label %next_attempt
next_attempt:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, 1000
  br i1 %more, label %turn, label %after
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

define void @steps(ptr %turns, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %i = phi i32 [ %x, %item ], [ %j, %turn ]
  %old = atomicrmw add ptr %turns, i32 1 monotonic, align 4
  %is_odd = trunc i32 %old to i1
  %by = select i1 %is_odd, i32 1, i32 0
  %j = add i32 %i, %by
  %more = icmp slt i32 %j, 1000
  br i1 %more, label %turn, label %after
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

define void @kept(ptr %lock, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %p = getelementptr i64, ptr %o, i64 %w
  %old = atomicrmw xchg ptr %lock, i32 1 monotonic, align 4
  store i32 %old, ptr %p, align 4
  %seen = load i32, ptr %p, align 4
  %more = icmp eq i32 %seen, 1
  br i1 %more, label %turn, label %after
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

define void @elements(ptr %a, ptr %counts, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %i = phi i64 [ %w, %item ], [ %j, %turn ]
  %old = atomicrmw add ptr %counts, i32 1 monotonic, align 4
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  %j = add i64 %i, 64
  %more = icmp sgt i32 %v, 0
  br i1 %more, label %turn, label %after
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

define void @circles(ptr %a, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %i = phi i32 [ %x, %item ], [ %j, %turn ]
  fence seq_cst
  %up = add i32 %i, 1
  %j = and i32 %up, 63
  %p = getelementptr i32, ptr %a, i32 %j
  %v = load i32, ptr %p, align 4
  %more = icmp eq i32 %v, 0
  br i1 %more, label %turn, label %after
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

define void @swaps(ptr %a, ptr %lock, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  %i = phi i64 [ %w, %item ], [ %j, %turn ]
  %old = atomicrmw xchg ptr %lock, i32 1 monotonic, align 4
  %p = getelementptr i32, ptr %a, i64 %i
  %was = atomicrmw xchg ptr %p, i32 %old monotonic, align 4
  %v = load i32, ptr %p, align 4
  %j = add i64 %i, 64
  %more = icmp sgt i32 %v, 0
  br i1 %more, label %turn, label %after
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

define void @together(ptr %a, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %turn
turn:
  fence seq_cst
  %v = load i32, ptr %a, align 4
  %more = icmp eq i32 %v, 0
  br i1 %more, label %turn, label %after
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

define void @scans(ptr %a, ptr %o, i32 %n) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = zext nneg i32 %x to i64
  br label %scan
scan:
  br label %turn
turn:
  %i = phi i64 [ 0, %scan ], [ %j, %more_of_it ]
  fence seq_cst
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  %found = icmp eq i32 %v, %x
  br i1 %found, label %after, label %more_of_it
more_of_it:
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, 64
  br i1 %more, label %turn, label %scan
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
#>
#> @counts: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#> block 1, divergent loop
#>   consecutive +1                 %i = phi i32 [ %x, %item ], [ %j, %turn ]
#>   varying                        %a = getelementptr i32, ptr %counts, i32 %i
#>   varying          item by item  %old = atomicrmw add ptr %a, i32 1 monotonic, align 4
#>   consecutive +1                 %j = add i32 %i, 7
#>   varying                        %more = icmp slt i32 %j, 1000
#>   varying          branch        br i1 %more, label %turn, label %after
#> block 2
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 1, ptr %r, align 8
#> block 3
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
#>
#> @attempts: one item after the other: a loop may wait for another item
#>
#> @steps: one item after the other: a loop may wait for another item
#>
#> @kept: one item after the other: a loop may wait for another item
#>
#> @elements: vectors of 16 items
#> block 0
#>   consecutive +1                 %x = phi i32 [ 0, %entry ], [ %next, %end ]
#>   consecutive +1                 %w = zext nneg i32 %x to i64
#> block 1, divergent loop
#>   consecutive +1                 %i = phi i64 [ %w, %item ], [ %j, %turn ]
#>   varying          item by item  %old = atomicrmw add ptr %counts, i32 1 monotonic, align 4
#>   consecutive +4                 %p = getelementptr i32, ptr %a, i64 %i
#>   consecutive +4   vector load   %v = load i32, ptr %p, align 4
#>   consecutive +1                 %j = add i64 %i, 64
#>   varying                        %more = icmp sgt i32 %v, 0
#>   varying          branch        br i1 %more, label %turn, label %after
#> block 2
#>   consecutive +8                 %r = getelementptr i64, ptr %o, i64 %w
#>   consecutive +8   vector store  store i64 1, ptr %r, align 8
#> block 3
#>   consecutive +1                 %next = add nuw nsw i32 %x, 1
#>   varying                        %again = icmp slt i32 %next, %n
#>
#> @circles: one item after the other: a loop may wait for another item
#>
#> @swaps: one item after the other: a loop may wait for another item
#>
#> @together: one item after the other: a loop may wait for another item
#>
#> @scans: one item after the other: a loop may wait for another item
