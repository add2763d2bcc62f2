# Commands for developers and packagers. Each is a line or two around CMake, ctest or a script, which
# can also be called directly.
-include config.mk

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=
JOBS ?= $(shell nproc)
# Most tests with real daemons spend their time waiting.
TEST_JOBS ?= $(shell expr 2 \* $(JOBS) + 1)

CONFIGURE = cmake --log-level=WARNING --preset

.PHONY: all build programs setup run test test-clients check-all bench golden format install clean

all: build

setup:
	@scripts/setup

build: setup
	@$(CONFIGURE) release
	@cmake --build --preset release -j $(JOBS)

programs: setup
	@$(CONFIGURE) release
	@cmake --build --preset release -j $(JOBS) --target programs

run: programs
	@examples/demo build/release/bin

# Here the sanitizers run on the layers without an operating system; in check-all on everything.
test: build
	@$(CONFIGURE) dev -DMUSTER_PURE_ONLY=ON
	@cmake --build --preset dev -j $(JOBS)
	@ctest --test-dir build/dev -j $(JOBS) --output-on-failure
	@ctest --test-dir build/release -j $(TEST_JOBS) --output-on-failure

test-clients: programs
	@tests/clients/run build/release/bin

check-all: build
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
	@$(CONFIGURE) release -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DCMAKE_INSTALL_SYSCONFDIR=$(SYSCONFDIR)
	@DESTDIR=$(DESTDIR) cmake --install build/release

clean:
	rm -rf build config.mk
