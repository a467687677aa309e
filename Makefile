# arxd - see README.md. Everything built goes to build/.
#
#   make            the daemon and the arx tool           make test         everything .ci/run checks
#   make run        install what is missing, build, run   make bench        the codecs' times, as ratios
#                                                         make bench-http   arxd beside nginx
#
# MODE=release (default), asan (ASan + UBSan), tsan or fuzz (asan by clang, for libFuzzer) gives each
# its own folder under build/.

MODE ?= release
B := build/$(MODE)
ifeq ($(MODE),fuzz)
CC := clang-14
endif

CFLAGS_release := -O3 -g -DNDEBUG
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
# An empty buffer's data is NULL here, and NULL + 0 is NULL with every compiler and, at last, in C2y.
CFLAGS_fuzz := $(CFLAGS_asan) -fno-sanitize=pointer-overflow -fsanitize=fuzzer-no-link

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wvla -Wformat=2 -Werror
ALL_CFLAGS := -std=c17 -D_GNU_SOURCE $(WARN) $(CFLAGS_$(MODE)) -fPIE -fstack-protector-strong \
              -MMD -MP -iquote codec -iquote server -iquote static/assets -iquote static/viewer \
              -iquote tests/unit $(CFLAGS)
ALL_LDFLAGS := $(CFLAGS_$(MODE)) -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)

CODEC_LIBS := -lbrotlienc -lbrotlidec -lz -lidn2 -lm
SERVER_LIBS := -lmicrohttpd -lsqlite3 -lpq -ljansson -luuid -lnettle -lpthread

CODEC_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out codec/arx_main.c,$(wildcard codec/*.c)))
TOOL_OBJ := $(patsubst %.c,$(B)/%.o,codec/arx_main.c $(wildcard codec/tool/*.c))
SERVER_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out server/main.c,$(wildcard server/*.c server/*/*.c)))
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(B)/arxd $(B)/arx

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(B)/libarx.a: $(CODEC_OBJ)
	rm -f $@ && $(AR) rcs $@ $^

# The built-in asset sets, in two stages. The project's own is composed of its sources by the library's
# own text stage; then a generator reads every set, checks it and writes it out as C, with its Brotli and
# gzip variants and its id. The first is the default.
OWN_SET := $(B)/gen/set-1
BUILTIN_SETS := $(OWN_SET)

$(B)/compose-assets: $(B)/static/assets/compose.o $(B)/static/assets/compose_list.o $(B)/static/assets/asset_files.o $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lnettle

# The priors are written last.
$(OWN_SET)/arx4-priors.json: $(B)/compose-assets $(shell find static/assets/src -type f ! -path '*/words/*.mjs')
	@mkdir -p $(@D)
	$(B)/compose-assets $(@D) static/assets/src

$(B)/generate-assets: $(B)/static/assets/generate.o $(B)/static/assets/asset_files.o $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lnettle

$(B)/gen/builtin_assets.c: $(B)/generate-assets $(addsuffix /arx4-priors.json,$(BUILTIN_SETS))
	@mkdir -p $(@D)
	$(B)/generate-assets $@ $(BUILTIN_SETS)

$(B)/gen/migrations_sqlite.c $(B)/gen/migrations_postgres.c: $(B)/gen/migrations_%.c: sql/embed.sh $(wildcard sql/*/*.sql)
	@mkdir -p $(@D)
	sh sql/embed.sh $* > $@

# Documents that are served as they are.
$(B)/gen/embedded_discovery.c: static/embed.sh $(wildcard static/discovery/*)
	@mkdir -p $(@D)
	sh static/embed.sh discovery > $@

# The definitions of the actions, compact or not: one array of bytes.
$(B)/gen/embedded_actions.c $(B)/gen/embedded_own_tools.c: $(B)/gen/embedded_%.c: server/%.json
	@mkdir -p $(@D)
	{ printf '#include "embedded.h"\nconst uint8_t embedded_$*[] = {\n'; \
	  od -An -v -tu1 $< | sed 's/  *\([0-9][0-9]*\)/\1,/g'; \
	  printf '};\nconst size_t embedded_$*_len = sizeof embedded_$*;\n'; } > $@

$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(B)/libarxd.a: $(SERVER_OBJ) $(B)/static/assets/asset_files.o $(B)/gen/migrations_sqlite.o \
                $(B)/gen/builtin_assets.o $(B)/gen/embedded_discovery.o $(B)/gen/embedded_actions.o \
                $(B)/gen/page_files.o $(B)/gen/migrations_postgres.o \
                $(B)/gen/embedded_own_tools.o
	rm -f $@ && $(AR) rcs $@ $^

$(B)/arx: $(TOOL_OBJ) $(B)/static/assets/asset_files.o $(B)/gen/builtin_assets.o $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lnettle

$(B)/arxd: $(B)/server/main.o $(B)/libarxd.a $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(SERVER_LIBS) $(CODEC_LIBS)

# Unit programs: tests/unit/test_<property>.c, over libarx; those named test_server_* over libarxd too.
$(B)/unit/test_server_%: $(B)/tests/unit/test_server_%.o $(B)/tests/unit/vectors.o $(B)/libarxd.a $(B)/libarx.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(SERVER_LIBS) $(CODEC_LIBS) -lcmocka

$(B)/unit/test_%: $(B)/tests/unit/test_%.o $(B)/tests/unit/vectors.o $(B)/libarx.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lcmocka -lnettle

$(B)/unit/test_default_set: $(B)/static/assets/asset_files.o $(B)/gen/builtin_assets.o
$(B)/unit/test_compose_list: $(B)/static/assets/compose_list.o

# test_<property>_memory: programs whose allocations go through tests/unit/heap.c.
MEMORY_UNIT := $(filter %_memory,$(UNIT))
$(MEMORY_UNIT): $(B)/tests/unit/heap.o
$(MEMORY_UNIT): ALL_LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
# Counts comparisons of secrets.
$(B)/unit/test_server_tokens: ALL_LDFLAGS += -Wl,--wrap=secret_equal
$(B)/unit/test_server_secret: ALL_LDFLAGS += -Wl,--wrap=nettle_memeql_sec

unit: $(UNIT)

# libFuzzer targets: tests/fuzz/fuzz_<name>.c, each a program; MODE=fuzz only.
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))

$(B)/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/libarxd.a $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ -o $@ $(SERVER_LIBS) $(CODEC_LIBS)

fuzz: $(FUZZ)

clean:
	rm -rf build

# ---- run and test ----

# quietly, and in parallel unless -j was said already
PARALLEL_MAKE = $(MAKE) -s --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# `make run ARGS="--port 8080"`
run:
	deploy/install-deps.sh run
	@+$(PARALLEL_MAKE) all
	$(B)/arxd $(ARGS)

# What the tests run of each.
GOALS_release := all unit
GOALS_asan := all unit
GOALS_tsan := all
GOALS_fuzz := fuzz

# A build folder made from other sources or with other flags or compilers is started afresh.
STAMP := $(shell { echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(CODEC_OBJ) $(SERVER_OBJ) $(BUILTIN_SETS)'; \
                   $(CC) --version; } 2>/dev/null | cksum | tr ' ' -)
fresh:
	@[ -f $(B)/stamp-$(STAMP) ] || { rm -rf $(B); mkdir -p $(B); touch $(B)/stamp-$(STAMP); }
	@echo "building $(B)"
	@+$(PARALLEL_MAKE) $(GOALS_$(MODE))

# Node.js for the tests: whatever npm there is fetches the one that the lock names.
tests/node_modules/.bin/node: tests/package.json tests/package-lock.json
	cd tests && npm ci --no-progress
	@touch $@

# `make test SUITES="unit http-asan"` runs a part; see tests/run.sh.
test:
	deploy/install-deps.sh test
	@$(MAKE) --no-print-directory tests/node_modules/.bin/node
	@$(MAKE) --no-print-directory MODE=release fresh
	@$(MAKE) --no-print-directory MODE=asan fresh
	@$(MAKE) --no-print-directory MODE=fuzz fresh
	@+$(PARALLEL_MAKE) page
	@SUITES="$(SUITES)" tests/run.sh

# A million requests of every kind at once, under ASan; `make soak REQUESTS=50000` for fewer.
REQUESTS ?= 1000000
soak:
	deploy/install-deps.sh test
	@$(MAKE) --no-print-directory tests/node_modules/.bin/node
	@+$(PARALLEL_MAKE) MODE=asan all
	RESULTS=build/soak SOAK_REQUESTS=$(REQUESTS) tests/run.sh soak-asan
	@grep -E '^# (seed|resident|[0-9]+ requests)' build/soak/soak-asan.soak.log

# Every program over HTTP under ThreadSanitizer: some ten minutes on two cores.
test-tsan:
	deploy/install-deps.sh test
	@$(MAKE) --no-print-directory tests/node_modules/.bin/node
	@$(MAKE) --no-print-directory MODE=tsan fresh
	@+$(PARALLEL_MAKE) page
	@tests/run.sh http-tsan

# The container image alone; and README's two commands on a bare Debian, which takes long.
test-image:
	deploy/install-deps.sh test
	tests/run.sh image

test-fresh:
	deploy/install-deps.sh test
	sh tests/fresh.sh

# One of tests/checks: `make check-format`
check-%:
	sh tests/checks/$*.sh

# ---- benchmarks ----

BENCH_LINK = $(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lnettle -lpthread
BENCH_ASSETS := $(B)/static/assets/asset_files.o $(B)/gen/builtin_assets.o

$(B)/bench: $(patsubst %.c,$(B)/%.o,$(wildcard tests/bench/*.c)) $(BENCH_ASSETS) $(B)/libarx.a
	$(BENCH_LINK)

$(B)/bench-codecs: $(patsubst %.c,$(B)/%.o,$(wildcard tests/bench/codecs/*.c)) $(BENCH_ASSETS) $(B)/libarx.a
	$(BENCH_LINK)

# times, as ratios
bench: $(B)/bench
	$<

# arxd beside nginx, and on PostgreSQL beside SQLite: `make bench-http ARGS="--seconds 5 row"`; see tests/bench/http/main.mjs
bench-http:
	deploy/install-deps.sh bench
	@$(MAKE) --no-print-directory tests/node_modules/.bin/node
	@+$(PARALLEL_MAKE) MODE=release all
	tests/node_modules/.bin/node tests/bench/http/main.mjs $(ARGS)

# lengths: fails when a fragment got longer than the committed baseline says
bench-codecs: $(B)/bench-codecs
	$< $(ARGS)

bench-codecs-update: $(B)/bench-codecs
	$< --update $(ARGS)

# the picture in README; with ARX_UPSTREAM_ASSETS set it has upstream's curve too
bench-codecs-plot: $(B)/bench-codecs
	$< --plot docs/fragment-length.svg

.PHONY: all unit fuzz clean run fresh test test-image test-fresh soak bench bench-http bench-codecs bench-codecs-update bench-codecs-plot
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- the page ----
#
# The codec's core as WebAssembly, and the bundles a browser gets, in build/page: the same for every
# MODE. $(B)/gen/page_files.o is all of it as a table for arxd (static/viewer/page_files.h).

WASM_CC := clang-14 --target=wasm32-wasi
WASM_CFLAGS := -std=c17 $(WARN) -O2 -mbulk-memory -DNDEBUG -fvisibility=hidden -ffunction-sections -fdata-sections \
               -MMD -MP -Icodec
# 256 KB of stack below the data, so that running out of it traps; at most 1 GB in all.
WASM_LDFLAGS := -mexec-model=reactor -Wl,--wrap=calloc -Wl,--gc-sections -Wl,--strip-all -Wl,--stack-first \
                -Wl,-z,stack-size=262144 -Wl,--max-memory=1073741824
# What stands on libraries stays out: the page has its own Brotli and deflate, and the browser's URLs.
WASM_SRC := $(filter-out codec/arx_main.c codec/brotli%.c codec/deflate%.c codec/entropy_native.c codec/url%.c, \
              $(wildcard codec/*.c)) $(wildcard static/viewer/wasm/*.c)
WASM_OBJ := $(patsubst %.c,build/wasm/%.o,$(WASM_SRC))
# The functions behind the calls, for tests that look at every stage: tests/page/probe.c.
PROBE_OBJ := build/wasm/tests/page/probe.o

PAGE_SRC := $(wildcard static/viewer/*.mjs static/viewer/codec/*.mjs static/viewer/page/* static/viewer/page/*/* \
              static/viewer/page/*/*/*)

build/wasm/%.o: %.c
	@mkdir -p $(@D)
	$(WASM_CC) $(WASM_CFLAGS) -c $< -o $@

# Every browser that the page is built for has SIMD.
build/wasm/codec/mixer%.o: WASM_CFLAGS += -O3 -msimd128

build/wasm/core.wasm: $(WASM_OBJ)
	$(WASM_CC) $(WASM_LDFLAGS) $^ -o $@

build/wasm/probe.wasm: $(WASM_OBJ) $(PROBE_OBJ)
	$(WASM_CC) $(WASM_LDFLAGS) $^ -o $@

build/page/manifest.json: $(PAGE_SRC) build/wasm/core.wasm tests/node_modules/.bin/node
	tests/node_modules/.bin/node static/viewer/build.mjs build/page build/wasm/core.wasm

$(B)/gen/page_files.c: build/page/manifest.json static/viewer/embed.mjs
	@mkdir -p $(@D)
	tests/node_modules/.bin/node static/viewer/embed.mjs build/page $@

# The page alone, and what its tests need.
page: build/page/manifest.json build/wasm/probe.wasm

# how long a person waits for a Markdown text of 8 KB
bench-page: all
	tests/node_modules/.bin/node tests/bench/page.mjs

.PHONY: page bench-page
-include $(shell find build/wasm -name '*.d' 2>/dev/null)
