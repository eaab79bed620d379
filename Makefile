# Needs GNU make, a C compiler and the usual tools of a POSIX system; `make help` lists the targets.
# Everything is built below $(BUILD); V=1 shows the commands.
#
# A test is a program tests/NAME.c or a script tests/NAME.sh, an example a folder examples/NAME or an
# extension examples/extend/NAME.c, a benchmark a script bench/NAME.sh: new ones need no line here.
# The first line of a test may ask for flags of its own: `// flags: -fsanitize=address`.

ifeq ($(origin CC),default)
CC = gcc
endif
CFLAGS ?= -Og -g
STANDARD = -std=c11 -pthread
WARNINGS = -Wall -Wextra -Wpedantic -Wconversion -Wshadow
CLANG_FORMAT ?= clang-format
PREFIX ?= /usr/local
BUILD ?= build
DOCS ?= docs
Q = $(if $(V),,@)
JOBS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

SHIPPED = racefuzz.h racefuzz_mem.h
SOURCES := $(wildcard src/*/*.h)
EXAMPLES := $(filter-out extend frameworks unedited,$(sort $(patsubst examples/%/,%,$(dir $(wildcard examples/*/*.c)))))
EXTENSIONS := $(patsubst examples/extend/%.c,%,$(wildcard examples/extend/*.c))
NO_TESTS := $(patsubst %,tests/%.sh,run plain try engine nightly mutants thirdparty claims)
# Those that need no more than others, but time: check-long runs them.
LONGER := $(patsubst %,tests/%.sh,docs hook_reach workers terminal making generated spec headers \
    hook_output hook_places hook_signals hook_memory crash folder fuzz interrupts priorities \
    hook_timeouts hook_asis hook_others hook_tagged hook_c11 hook_futex hook_stdatomic hook_pthread hook_stale \
    hook_chance racefuzz_cc exclusive inside shrink forms foreign page any) \
    tests/explorers.c tests/calfuzzer_kernels.c
TESTS := $(filter-out $(NO_TESTS) $(if $(NIGHTLY),,$(LONGER)),$(wildcard tests/*.sh tests/*.c))
# The longest first; claims.sh, which reads what the others have printed, comes last.
first = $(filter $(1),$(2)) $(filter-out $(1),$(2))
FIRST := $(patsubst %,tests/%.sh,proofs hook_graphs campaign hook_files formats house)
TESTS := $(call first,$(FIRST),$(TESTS))
# More programs, forms and tools for what others show as well: check-nightly runs them, too.
BY_NIGHT := $(addprefix tests/long/,builds.sh compilers.sh forms.sh fuzzers.sh generated.sh \
    graphs_random.sh hook_memory.sh hook_stale.sh hook_timeouts.sh hook_tls.sh kernels.sh more.sh \
    sanitizer_reports.sh scale.sh shrunk.sh spec_cost.sh tools_valgrind.sh units.sh workers.sh \
    calfuzzer_kernels.c explore_compare.c explore_random.c figure_2.c kernels_fixed.c)
FIRST := $(patsubst %,tests/%,docs.sh hook_reach.sh hook_signals.sh spec.sh inside.sh shrink.sh hook_pthread.sh) \
    $(patsubst %,tests/long/%,tools_address.sh hooks.sh frameworks.sh determinism.sh \
    tools_thread.sh tools_aarch64.sh cxx.sh)
LONG_TESTS := $(call first,$(FIRST),$(LONGER) \
    $(filter-out $(BY_NIGHT),$(wildcard tests/long/*.sh tests/long/*.c)))
BENCHES := $(wildcard bench/*.sh)
KERNELS := $(patsubst tests/paper/%.c,%,$(wildcard tests/paper/*.c))
BUGS := $(filter-out bugs,$(patsubst bench/bugs/%.c,%,$(wildcard bench/bugs/*.c)))

programs_of = $(patsubst %.c,$(BUILD)/%,$(filter %.c,$(1)))
runnable = $(patsubst %.c,$(BUILD)/%,$(1))
example_programs := $(EXAMPLES:%=$(BUILD)/examples/%) $(EXAMPLES:%=$(BUILD)/examples/%_fixed) \
    $(EXTENSIONS:%=$(BUILD)/examples/%)
version := $(shell awk '/^\#define RF_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' \
                   src/api/switches.h 2>/dev/null)

COMPILE = $(CC) $(STANDARD) $(WARNINGS) -I. $(CPPFLAGS) $(CFLAGS)
own_flags = $(if $(filter-out $(OPTIMISED),$(filter tests/%,$(1))),$(PLAIN)) \
    $(shell sed -n '1s|^// flags: *||p' $(1)) \
    $(if $(filter $(VIEWERS),$(1)),$(VIEW) -include $(BUILD)/view/racefuzz.h)
# Most tests run in less time than it takes to optimise them.  CFLAGS=-g: for a debugger.
OPTIMISED := $(patsubst %,tests/%.c,litmus memory_fuzz)
PLAIN = $(if $(filter -Og,$(CFLAGS)),-O0 -g0)
# Tests that look into the engine share one, and its header compiled (base/platform.h, view.awk).
VIEWERS := $(filter-out tests/fiber_portable.c,$(shell grep -l -e '^.define RF_IMPLEMENTATION' \
    -e report_record.h -e '"../.*\.c"' $(wildcard tests/*.c tests/long/*.c) /dev/null))
VIEW = -DRFI_VISIBLE=2 -DRF_IMPLEMENTATION= -isystem .
viewers := $(VIEWERS:%.c=$(BUILD)/%)
# As many compilers at a time as there are processors, unless the caller has said otherwise.
in_parallel = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: headers help demo check check-long check-nightly check-thirdparty bench bench-first bench-peers \
        bench-tables bench-bugs bench-drfinder-real fresh programs \
        long-programs night-programs engine fuzz-memory mutants units \
        claims manual format \
        wrap-flags install uninstall clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

headers: ## join src/ into racefuzz.h and racefuzz_mem.h (LINE=1: with #line, into build/line)
	@sh src/join.sh $(if $(LINE),$(BUILD)/line lines,.)

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

demo: $(BUILD)/examples/bank_demo ## find a bug in an example, then replay the finding
	@sh examples/demo.sh $<

check: fresh ## run the tests; needs nothing but gcc, make and git
	@$(in_parallel) programs || { echo "0 passed, 1 failed"; exit 1; }
	@BUILD='$(BUILD)' CC='$(CC)' JOBS='$(JOBS)' SPARE=2 \
	    sh tests/run.sh $(call runnable,$(TESTS)) $(example_programs) \
	    tests/claims.sh

check-long: fresh ## run the long tests: clang, sanitizers, other machines, large counts
	@$(in_parallel) programs long-programs || { echo "0 passed, 1 failed"; exit 1; }
	@BUILD='$(BUILD)' CC='$(CC)' JOBS='$(JOBS)' SPARE=1 LIMIT=1200 \
	    sh tests/run.sh $(call runnable,$(LONG_TESTS))

check-nightly: fresh ## run what takes too long for each change, by hand before a release: SEED=time
	@$(in_parallel) programs long-programs night-programs || { echo "0 passed, 1 failed"; exit 1; }
	@BUILD='$(BUILD)' CC='$(CC)' JOBS='$(JOBS)' $(if $(SEED),SEED='$(SEED)') \
	    sh tests/nightly.sh $(call runnable,$(LONG_TESTS) $(BY_NIGHT))

check-thirdparty: fresh $(BUILD)/libracefuzz.a ## test code of others, fetched as Debian packages
	@status=0; for test in $(or $(PARTS),thirdparty thirdparty/programs thirdparty/specs \
	    thirdparty/wild thirdparty/hunts thirdparty/suites); do \
	    BUILD='$(BUILD)' CC='$(CC)' sh tests/$$test.sh || status=1; done; exit $$status

bench: $(example_programs) ## measure and print what things cost
	@for script in $(BENCHES); do BUILD='$(BUILD)' CC='$(CC)' sh $$script || exit 1; done

bench-first: ## executions to the first failure beside an earlier engine: SEEDS=20 PROGRAMS= BASE=COMMIT SAVE=
	@BUILD='$(BUILD)' CC='$(CC)' sh bench/12_first_failures.sh

bench-peers: ## the same programs under racefuzz and Relacy, by turns in one run: ROUNDS=15
	@BUILD='$(BUILD)' CC='$(CC)' sh bench/9_peers.sh

bench-tables: ## the tables of RaceFuzzer's and CalFuzzer's papers, measured on the kernels in tests/paper
	@BUILD='$(BUILD)' CC='$(CC)' sh bench/tables/tables.sh

bench-drfinder-real: ## races in programs of others under seven strategies: PROGRAMS= STRATEGIES= RUNS=
	@BUILD='$(BUILD)' CC='$(CC)' sh bench/drfinder/real.sh

bench-bugs: ## executions to known hard bugs: PROGRAMS= STRATEGIES= SEEDS=20 LIMIT=10000 CAP=5 RATES=
	@BUILD='$(BUILD)' CC='$(CC)' sh bench/bugs/bugs.sh

fuzz-memory: $(BUILD)/tests/memory_fuzz ## random programs for the memory model: COUNT=10000 SEED=time
	@$< $(or $(COUNT),10000) $(or $(SEED),$(shell date +%s))

mutants: ## do the tests notice mistakes?  Those of tests/mutants.txt: ONLY=file or test, a pattern
	@BUILD='$(BUILD)' CC='$(CC)' JOBS='$(JOBS)' sh tests/mutants.sh '$(or $(ONLY),.)'

units: $(SOURCES:%.h=$(BUILD)/%.ok) ## compile each header of src/ by itself

claims: programs ## run what docs/inside/claims.md names, and put the figures of today there
	@BUILD='$(BUILD)' CC='$(CC)' sh tests/claims.sh update

manual: $(BUILD)/manual ## bring the lists of options in docs/ up to date
	@sh docs/manual.sh $< $(DOCS)

# Not the macros of the public face: clang-format 14 pulls their bodies apart.
format: ## format the C sources
	$(CLANG_FORMAT) -i $(filter-out src/api/%,$(SOURCES)) src/api/run.h src/api/explore.h \
	    $(wildcard tests/*.[ch] tests/long/*.[ch] tests/generate/*.[ch] tests/paper/*.[ch] \
	    tests/thirdparty/*.[ch] bench/*.[ch] bench/*/*.[ch] examples/*/*.[ch])

# Every name that is given to the engine, and main, for objects that are there already.
wrap_flags = $(shell sh src/racefuzz-cc --wrap-flags)

# Where find_package(racefuzz) looks for it.
CMAKE_PACKAGE = $(DESTDIR)$(PREFIX)/share/cmake/racefuzz

wrap-flags: ## print what the linker is told for objects that were compiled without racefuzz.h
	@echo $(wrap_flags)

install: ## install headers, racefuzz-cc and -c++, man page, racefuzz.pc and the CMake package below $(DESTDIR)$(PREFIX)
	install -d '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/bin' \
	    '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/racefuzz' \
	    '$(DESTDIR)$(PREFIX)/share/pkgconfig' '$(CMAKE_PACKAGE)'
	install -m 644 $(SHIPPED) '$(DESTDIR)$(PREFIX)/include/'
	install -m 755 src/racefuzz-cc '$(DESTDIR)$(PREFIX)/bin/'
	ln -sf racefuzz-cc '$(DESTDIR)$(PREFIX)/bin/racefuzz-c++'
	sed -n 's/^    "\(.*\)",$$/\1/p' src/report/gdb.h >'$(DESTDIR)$(PREFIX)/share/racefuzz/racefuzz-gdb.py'
	install -m 644 docs/racefuzz.1 '$(DESTDIR)$(PREFIX)/share/man/man1/'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(version)|' \
	    -e 's|@WRAP@|$(strip $(wrap_flags))|' src/racefuzz.pc.in \
	    >'$(DESTDIR)$(PREFIX)/share/pkgconfig/racefuzz.pc'
	install -m 644 packaging/racefuzz.cmake packaging/racefuzzDiscover.cmake \
	    packaging/racefuzzConfig.cmake '$(CMAKE_PACKAGE)/'
	sed -e 's|@VERSION@|$(version)|' packaging/racefuzzConfigVersion.cmake.in \
	    >'$(CMAKE_PACKAGE)/racefuzzConfigVersion.cmake'

uninstall: ## remove what install has put there
	rm -f $(SHIPPED:%='$(DESTDIR)$(PREFIX)/include/%') \
	    '$(DESTDIR)$(PREFIX)/bin/racefuzz-cc' '$(DESTDIR)$(PREFIX)/bin/racefuzz-c++' \
	    '$(DESTDIR)$(PREFIX)/share/man/man1/racefuzz.1' \
	    '$(DESTDIR)$(PREFIX)/share/pkgconfig/racefuzz.pc' \
	    '$(DESTDIR)$(PREFIX)/share/racefuzz/racefuzz-gdb.py'
	rm -rf '$(CMAKE_PACKAGE)'

clean: ## remove what was built
	rm -rf '$(BUILD)'

# The shipped headers are edited in src/ only; an edit of one side alone stops here.
fresh:
	@sh src/join.sh $(BUILD)/fresh
	@for header in $(SHIPPED); do cmp -s $$header $(BUILD)/fresh/$$header && continue; \
	    echo "$$header is not what src/ makes: move edits made by hand to src/, make headers"; \
	    echo "0 passed, 1 failed"; exit 1; done

programs: engine $(call programs_of,$(TESTS)) $(example_programs)
long-programs: $(call programs_of,$(LONG_TESTS))
night-programs: $(call programs_of,$(BY_NIGHT))

# Changes when the command does, so that everything is built anew.
$(BUILD)/command: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(LDFLAGS)' | cmp -s - $@ || echo '$(COMPILE) $(LDFLAGS)' >$@

# All tests and examples get the engine from here, with all hooks and with its internals visible.
# What a test brings again takes the place of what is there: no use of registers or of neighbours in
# memory may be taken for granted.
REPLACEABLE = $(foreach f,-fno-ipa-ra -fno-section-anchors,$(shell $(CC) -Werror $(f) -E -x c \
    /dev/null >/dev/null 2>&1 && echo $(f)))
FASTER = $(if $(filter -Og,$(CFLAGS)),-O1 -g0)
# For each `if` gcc reads the whole header again to see how it is indented: six seconds.  house.sh
# has it look at the files of src/, which are short.
STEADY = -Wno-misleading-indentation
$(BUILD)/libracefuzz.a: $(SHIPPED) $(BUILD)/command
	@echo '  compile $<'
	$(Q)$(COMPILE) $(FASTER) $(STEADY) $(REPLACEABLE) -DRFI_VISIBLE=1 -DRF_IMPLEMENTATION \
	    -DRF_HOOK_THREADS -x c -c -o $(BUILD)/racefuzz.o $<
	@$(AR) rcs $@ $(BUILD)/racefuzz.o

# The engine that several scripts need (engine_by in tests/try.sh) is made beside the others.
engine:
	@echo '  compile racefuzz.h for unedited programs'
	$(Q)BUILD='$(BUILD)' sh tests/engine.sh '$(CC)' -O0 -fexceptions -DRF_HOOK_ALL \
	    -DRF_HOOK_COMPILER -DRF_PROGRAM >/dev/null

$(BUILD)/manual: $(BUILD)/libracefuzz.a
	$(Q)printf '%s\n' '#include "racefuzz.h"' 'RF_TEST(none) {}' 'RF_MAIN()' | \
	    $(COMPILE) -o $@ -x c - -x none $< $(LDFLAGS)

$(BUILD)/obj/%.o: %.c $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $<'
	$(Q)$(COMPILE) $(call own_flags,$<) -MD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libracefuzz.a
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(call own_flags,tests/$*.c) -o $@ $^ $(LDFLAGS)

$(VIEWERS:%.c=$(BUILD)/obj/%.o): $(BUILD)/view/racefuzz.h.gch
$(viewers): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/libracefuzz.a
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $^ -Wl,-z,muldefs $(LDFLAGS)

$(BUILD)/view/%.h: %.h tests/view.awk
	@mkdir -p $(@D)
	@awk -f tests/view.awk $< >$@

$(BUILD)/view/racefuzz.h.gch: $(SHIPPED:%=$(BUILD)/view/%) $(BUILD)/command
	$(Q)$(COMPILE) $(PLAIN) $(VIEW) $(STEADY) -w -x c-header -o $@ $<

# The kernels of the papers' benchmarks, with their mistakes and without.  In a program that holds
# all of them the main of each goes by another name.
$(BUILD)/kernels/buggy/%.o: tests/paper/%.c $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $<'
	$(Q)$(COMPILE) -Dmain=$*_main -MMD -MP -c -o $@ $<

$(BUILD)/kernels/fixed/%.o: tests/paper/%.c $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $<, no bug expected'
	$(Q)$(COMPILE) -DFIXED -Dmain=$*_main -MMD -MP -c -o $@ $<

$(patsubst %,$(BUILD)/tests/%,racefuzzer_kernels calfuzzer_kernels long/calfuzzer_kernels): \
    $(KERNELS:%=$(BUILD)/kernels/buggy/%.o)
$(BUILD)/tests/kernels_fixed $(BUILD)/tests/long/kernels_fixed: $(KERNELS:%=$(BUILD)/kernels/fixed/%.o)

# The bench of known hard bugs, and its twins without them.
$(BUILD)/bugs/buggy/%.o: bench/bugs/%.c $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $<'
	$(Q)$(COMPILE) -Werror -MMD -MP -c -o $@ $<

$(BUILD)/bugs/fixed/%.o: bench/bugs/%.c $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $<, no bug expected'
	$(Q)$(COMPILE) -Werror -DFIXED -MMD -MP -c -o $@ $<

$(BUILD)/tests/bugs $(BUILD)/tests/long/bugs: $(BUGS:%=$(BUILD)/bugs/buggy/%.o) \
    $(BUGS:%=$(BUILD)/bugs/fixed/%.o)

# The engine of all examples is the library's, whatever they say, so that it is compiled once.
# An example is built with its bugs, and as NAME_fixed: each X_fixed.c in the place of its X.c, and
# no bug expected.  NAME_demo has the bugs and does not expect them, so that one can see it fail.
sources_of = $(wildcard examples/$(1)/*.c)
buggy_of = $(filter-out %_fixed.c,$(sources_of))
fixed_of = $(filter-out $(patsubst %_fixed.c,%.c,$(filter %_fixed.c,$(sources_of))),$(sources_of))
define example_rules
$(BUILD)/examples/$(1): $(patsubst %.c,$(BUILD)/obj/%.o,$(call buggy_of,$(1)))
$(BUILD)/examples/$(1)_fixed: $(patsubst %.c,$(BUILD)/pass/%.o,$(call fixed_of,$(1)))
$(BUILD)/examples/$(1)_demo: $(patsubst %.c,$(BUILD)/pass/%.o,$(call buggy_of,$(1)))
endef
$(foreach name,$(EXAMPLES),$(eval $(call example_rules,$(name))))

# Of an extension, one file has all: bugs that it finds, and twins without them.
define extension_rules
$(BUILD)/examples/$(1): $(BUILD)/obj/examples/extend/$(1).o
$(BUILD)/examples/$(1)_demo: $(BUILD)/pass/examples/extend/$(1).o
endef
$(foreach name,$(EXTENSIONS),$(eval $(call extension_rules,$(name))))

$(BUILD)/pass/%.o: %.c $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $<, no bug expected'
	$(Q)$(COMPILE) -DEXPECT_PASS -DRFI_LINKED -Werror -MMD -MP -c -o $@ $<

# That they compile without a warning is a test.
$(BUILD)/obj/examples/%.o: CPPFLAGS += -DRFI_LINKED -Werror
$(BUILD)/examples/%: $(BUILD)/libracefuzz.a
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $(filter %.o,$^) $< $(LDFLAGS)

$(BUILD)/src/api/off.ok: CPPFLAGS += -DRF_OFF
$(BUILD)/src/%.ok: src/%.h $(BUILD)/command
	@mkdir -p $(@D)
	@echo '  compile $< alone'
	$(Q)$(COMPILE) -Werror -Isrc -fsyntax-only -x c $<
	$(Q)$(COMPILE) -Werror -Isrc -DRF_IMPLEMENTATION -fsyntax-only -MMD -MP -MF $(@:.ok=.d) \
	    -MT $@ -x c $<
	@touch $@

-include $(filter-out $(BUILD)/thirdparty/%,$(wildcard $(BUILD)/*/*/*.d $(BUILD)/*/*/*/*.d))
