//! Programs of random kernels whose items wait for each other, in loops of many shapes, with the results they must have.
//!
//! A kernel has phases. In each, an item waits for flags of items before it (or behind it: one direction a phase), reads what these left
//! beside their flags, writes its own value, and sets its flag. So there is always an item that waits for none, and a kernel ends if each
//! item goes on in its own time.

use kiln_testing::random::Rng;
use std::fmt::Write;

/// The items of the one group of a kernel.
const ITEMS: usize = 48;

/// A phase: the items that each item waits for, and the shapes of the loops.
struct Phase {
    /// Items wait for lower numbers, else for higher ones.
    upward: bool,
    /// How far away the items are that an item waits for, and the shape of each loop.
    waits: Vec<(usize, usize)>,
    /// Of `.0` items in a row, the one at `.1` waits for none.
    free: (usize, usize),
    /// The flag is set by an atomic operation.
    atomic: bool,
    /// The item takes the lock before it sets its flag, and adds its number to the total.
    locks: bool,
}

/// Loops that wait until `flags[f]` is 1. `#` stands for a name that the kernel does not have yet.
const SHAPES: [&str; 12] = [
    "while @inbounds(flags[f]) == Int32(0)\n threadfence()\nend",
    "while flags[f] != Int32(1)\n threadfence()\nend",
    "while CUDA.atomic_or!(pointer(flags, f), Int32(0)) == Int32(0)\nend",
    "# = 3\nwhile # > 0\n if CUDA.atomic_or!(pointer(flags, f), Int32(0)) == Int32(1)\n  # -= 1\n end\nend",
    "while true\n threadfence()\n @inbounds flags[f] == Int32(1) && break\nend",
    "# = 0\nwhile CUDA.atomic_cas!(pointer(flags, f), Int32(1), Int32(1)) != Int32(1)\n # += 1\nend",
    "# = 0\nwhile # == 0\n for k in eachindex(flags)\n  threadfence()\n  if k == f && @inbounds(flags[k]) == Int32(1)\n   # = k\n   \
     break\n  end\n end\nend",
    "# = 0\nwhile true\n # = # % length(flags) + 1\n threadfence()\n @inbounds # == f && flags[#] == Int32(1) && break\nend",
    "# = 3\nwhile # > 0\n threadfence()\n if @inbounds(flags[f]) == Int32(1)\n  # -= 1\n end\nend",
    "wait_for(flags, f)",
    "# = @inbounds flags[f]\nwhile # == Int32(0)\n threadfence()\n # = @inbounds flags[f]\nend",
    "for # in 1:2\n while @inbounds(flags[f]) < Int32(1)\n  threadfence()\n end\nend",
];

const PROLOGUE: &str = "# Items that wait for each other.
using CUDA, Test

@noinline function wait_for(flags, f)
    while @inbounds(flags[f]) == Int32(0)
        threadfence()
    end
    return
end
";

impl Phase {
    fn random(rng: &mut Rng) -> Self {
        let waits =
            (0..1 + rng.below(3)).map(|_| (*rng.pick(&[1, 1, 2, 3, 7, 16, 31]), rng.below(SHAPES.len())));
        let waits = waits.collect();
        let row = 1 + rng.below(5);
        let free = if rng.one_in(3) { (row, rng.below(row)) } else { (ITEMS + 1, ITEMS) };
        Self { upward: !rng.one_in(2), waits, free, atomic: rng.one_in(2), locks: rng.one_in(4) }
    }

    /// The item that item `at` waits for at a distance; both count from 0.
    fn waited_for(&self, at: usize, distance: usize) -> Option<usize> {
        let other = if self.upward { at.checked_sub(distance)? } else { at + distance };
        (other < ITEMS && at % self.free.0 != self.free.1).then_some(other)
    }

    /// The values that the items leave behind, given those of the phase before.
    fn values(&self, before: &[i64]) -> Vec<i64> {
        let mut values = vec![0; ITEMS];
        let order: Vec<usize> = if self.upward { (0..ITEMS).collect() } else { (0..ITEMS).rev().collect() };
        for at in order {
            let waited = self.waits.iter().filter_map(|it| self.waited_for(at, it.0));
            let sum: i64 = waited.map(|it| values[it]).sum();
            values[at] = (sum + before[at] + at as i64 + 1) % 65_521;
        }
        values
    }

    /// The statements of phase `number`, whose flags and values begin behind those of the phases before.
    fn write(&self, number: usize, indent: &str, out: &mut String) {
        let first = number * ITEMS;
        let mut line = |text: &str| {
            for line in text.lines() {
                let _ = writeln!(out, "{indent}{line}");
            }
        };
        line("v += l");
        for (turn, &(distance, shape)) in self.waits.iter().enumerate() {
            let sign = if self.upward { '-' } else { '+' };
            let inside =
                if self.upward { format!("l > {distance}") } else { format!("l + {distance} <= {ITEMS}") };
            line(&format!("if {inside} && (l - 1) % {} != {}", self.free.0, self.free.1));
            line(&format!(" f = {first} + l {sign} {distance}"));
            let name = format!("u{number}_{turn}");
            let shape = SHAPES[shape].replace('#', &name);
            shape.lines().for_each(|it| line(&format!(" {it}")));
            line(" threadfence()");
            line(" v += @inbounds values[f]");
            line("end");
        }
        line("v = v % 65521");
        line(&format!("@inbounds values[{first} + l] = v"));
        if self.locks {
            line(if self.atomic {
                "while CUDA.atomic_cas!(pointer(lock), Int32(0), Int32(1)) != Int32(0)\nend"
            } else {
                "while CUDA.atomic_xchg!(pointer(lock), Int32(1)) != Int32(0)\nend"
            });
            line(
                "threadfence()\n@inbounds total[1] += l\nthreadfence()\nCUDA.atomic_xchg!(pointer(lock), Int32(0))",
            );
        }
        line("threadfence()");
        line(&if self.atomic {
            format!("CUDA.atomic_xchg!(pointer(flags, {first} + l), Int32(1))")
        } else {
            format!("@inbounds flags[{first} + l] = Int32(1)")
        });
    }
}

/// Returns a program of `kernels` random kernels. Its `@test`s hold if the items wait as they say.
pub(crate) fn program(seed: u64, kernels: usize) -> String {
    let mut rng = Rng::new(seed);
    let mut out = PROLOGUE.to_owned();
    for kernel in 0..kernels {
        let phases: Vec<Phase> = (0..1 + rng.below(3)).map(|_| Phase::random(&mut rng)).collect();
        let _ = writeln!(out, "\nfunction kernel{kernel}!(out, flags, values, lock, total)");
        let _ = writeln!(out, "    l, v = Int(threadIdx().x), 0");
        for (number, phase) in phases.iter().enumerate() {
            phase.write(number, "    ", &mut out);
        }
        let _ = writeln!(out, "    @inbounds out[l] = v\n    return\nend\n");
        let mut values = vec![0; ITEMS];
        for phase in &phases {
            values = phase.values(&values);
        }
        let locked = phases.iter().filter(|it| it.locks).count() * ITEMS * (ITEMS + 1) / 2;
        let count = phases.len() * ITEMS;
        let _ = writeln!(
            out,
            "@testset \"kernel {kernel}\" begin
    out, values, total = CUDA.zeros(Int, {ITEMS}), CUDA.zeros(Int, {count}), CUDA.zeros(Int, 1)
    flags, lock = CUDA.zeros(Int32, {count}), CUDA.zeros(Int32, 1)
    @cuda threads={ITEMS} kernel{kernel}!(out, flags, values, lock, total)
    @test Array(out) == {values:?}
    @test Array(total) == [{locked}] && all(==(1), Array(flags))
end"
        );
    }
    out
}
