# kiln: every job is one of these targets. Each does all the set-up it needs on a fresh Debian 12
# machine that has cargo and apt, says what it installs, and installs nothing the second time.

CARGO ?= cargo
# `.ci/run` sets the same for all that it builds.
LINTED := RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/scripts/lint_checked.sh CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
KILN  := target/release/kiln

.PHONY: all setup build run test test-vectors test-warm test-opencl full lint sizes bench bench-peers bench-gpu-code gpu-check fuzz sanitize torture corpus clean

all: build

setup:
	@scripts/setup.sh

build: setup
	$(CARGO) build --release -p kiln-codegen -p kiln-cli
	$(CARGO) build --profile runtime -p kiln-rt
	@scripts/split_symbols.sh

# The main job: three programs compiled and run, each checked.
run: build
	$(KILN) run examples/nbody.jl
	$(KILN) run examples/mandelbrot.jl target/mandelbrot.png
	$(KILN) run examples/matmul_tiled.jl

test: setup
	@scripts/device-tools.sh
	@scripts/air-tools.sh
	scripts/test.sh

# Programs with kernels, in vectors of each width; `make test` runs each with one.
test-vectors: setup
	KILN_DEVICE=cpu KILN_VECTOR_ALL=1 $(CARGO) test -p kiln-codegen -p kiln-cli --test programs vectors-

# Each program twice with one store: the second process does what the first did; `make test` runs a slice.
test-warm: setup
	KILN_DEVICE=cpu KILN_WARM_ALL=1 $(CARGO) test -p kiln-codegen -p kiln-cli --test programs warm/

# OpenCL devices, with a driver for this machine's processor that is installed under target/tools (850 MB).
test-opencl:
	scripts/test_opencl.sh

# Everything, whole: hours.
full: lint sizes test test-vectors test-warm test-opencl fuzz torture sanitize corpus
	scripts/dependencies.py

lint: setup
	$(CARGO) fmt --all --check
	$(LINTED) $(CARGO) check --workspace --all-targets
	# Examples as well, so that crates have the same features as in a build with tests, and are built once.
	$(LINTED) RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --lib --bins --examples

# Fails if a file of the release is larger than its limit.
sizes: build
	@scripts/split_symbols.sh --check

bench: sizes bench-peers
	@scripts/bench.sh
	@scripts/bench_launch.py
	@scripts/bench_host.py
	@scripts/bench_memory.py

# Kernels beside C, OpenCL and numba on this processor, each result checked.
bench-peers: build
	@KILN_SETUP=bench scripts/setup.sh
	@scripts/bench_peers.py

# Machine code for NVIDIA GPUs beside nvcc's, without a GPU; fails where kiln's got worse.
bench-gpu-code: build
	@scripts/bench_gpu_code.py

# All that runs on this machine's NVIDIA GPU, beside the processor and nvcc.
gpu-check: build
	scripts/gpu_check.sh

fuzz: setup
	scripts/fuzz.sh

# The suites of crates that have unsafe code, under the address and the thread sanitizer; Miri, where it is installed.
sanitize: setup
	scripts/sanitize.sh

# The store of results: killed, stopped and full-disk writers, damaged files, many processes; minutes, not seconds.
torture: setup
	scripts/torture.sh

# Upstream files, unmodified, from the checkouts in $$KILN_CORPUS (skipped, and said so, when unset).
corpus: build
	scripts/corpus.sh

clean:
	$(CARGO) clean
