# Commands for developers and packagers. Each is a line or two around CMake, ctest or a script, which
# can also be called directly.
-include config.mk

PREFIX ?= /usr/local
INSTALL_DIRECTORIES ?=
DESTDIR ?=
JOBS ?= $(shell nproc)
# Most tests with real daemons spend their time waiting.
TEST_JOBS ?= $(shell expr 2 \* $(JOBS) + 1)

CONFIGURE = cmake --log-level=WARNING --preset
# Directories of an earlier configure are forgotten.
RELEASE = $(CONFIGURE) release -U 'CMAKE_INSTALL_*DIR' -U MUSTER_UNIT_DIRECTORY -DCMAKE_INSTALL_PREFIX=$(PREFIX) \
	$(INSTALL_DIRECTORIES)

.PHONY: all build programs setup run test test-clients check-all bench golden format install clean

all: build

setup:
	@scripts/setup

build: setup
	@$(RELEASE)
	@cmake --build --preset release -j $(JOBS)

programs: setup
	@$(RELEASE)
	@cmake --build --preset release -j $(JOBS) --target programs

run: programs
	@examples/demo build/release/bin

# Here the sanitizers run on the layers without an operating system; in check-all on everything.
test: build
	@scripts/setup --tests
	@$(CONFIGURE) dev -DMUSTER_PURE_ONLY=ON
	@cmake --build --preset dev -j $(JOBS)
	@ctest --test-dir build/dev -j $(JOBS) --output-on-failure
	@ctest --test-dir build/release -j $(TEST_JOBS) --output-on-failure

test-clients: programs
	@tests/clients/run build/release/bin

check-all: build
	@scripts/setup --tests
	@scripts/check-all $(JOBS)

bench: programs
	@cmake --build --preset release -j $(JOBS) --target load waiting
	@scripts/setup --bench
	@bench/compare --bin build/release/bin
	@bench/scale --bin build/release/bin
	@bench/queue --bin build/release/bin

# Rewrites the golden files of tests/unit/golden; GOLDEN=add only appends (see tests/unit/golden.h).
GOLDEN ?= rewrite
golden: setup
	@$(CONFIGURE) dev -DMUSTER_PURE_ONLY=ON
	@cmake --build --preset dev -j $(JOBS) --target state_tests wire_tests
	@MUSTER_GOLDEN=$(GOLDEN) build/dev/tests/state_tests --gtest_brief=1 --gtest_filter='Golden.*'
	@MUSTER_GOLDEN=$(GOLDEN) build/dev/tests/wire_tests --gtest_brief=1 --gtest_filter='Golden.*'

format: setup
	@scripts/format

install: programs
	@DESTDIR=$(DESTDIR) cmake --install build/release

clean:
	rm -rf build config.mk
