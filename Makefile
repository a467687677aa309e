# arxd - see README.md. Everything built goes to build/.
#
#   make            the daemon and the arx tool           make test    everything .ci/run checks
#   make run        install what is missing, build, run   make bench   codec ratios as a table
#
# MODE=release (default), asan (ASan + UBSan) or tsan gives each its own folder under build/.

MODE ?= release
B := build/$(MODE)

CFLAGS_release := -O3 -g -DNDEBUG
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan := -O1 -g -fsanitize=thread -fno-omit-frame-pointer

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wvla -Wformat=2 -Werror
ALL_CFLAGS := -std=c17 -D_GNU_SOURCE $(WARN) $(CFLAGS_$(MODE)) -fPIE -fstack-protector-strong \
              -MMD -MP -Icodec -Iserver -Istatic/assets -Itests/unit $(CFLAGS)
ALL_LDFLAGS := $(CFLAGS_$(MODE)) -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS)

CODEC_LIBS := -lbrotlienc -lbrotlidec -lz -lidn2 -lm
SERVER_LIBS := -lmicrohttpd -lsqlite3 -ljansson -luuid -lnettle -lpthread

CODEC_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out codec/arx_main.c,$(wildcard codec/*.c)))
TOOL_OBJ := $(patsubst %.c,$(B)/%.o,codec/arx_main.c $(wildcard codec/tool/*.c))
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(B)/arx

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(B)/libarx.a: $(CODEC_OBJ)
	rm -f $@ && $(AR) rcs $@ $^

# The built-in asset sets: a generator on the core reads them, checks them and writes them out as C,
# with their Brotli and gzip variants and their ids. The first is the default.
BUILTIN_SETS := tests/vectors/assets

$(B)/generate-assets: $(B)/static/assets/generate.o $(B)/static/assets/asset_files.o $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lnettle

$(B)/gen/builtin_assets.c: $(B)/generate-assets $(wildcard $(addsuffix /*.json,$(BUILTIN_SETS)))
	@mkdir -p $(@D)
	$(B)/generate-assets $@ $(BUILTIN_SETS)

$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(B)/arx: $(TOOL_OBJ) $(B)/static/assets/asset_files.o $(B)/gen/builtin_assets.o $(B)/libarx.a
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lnettle

# Unit programs: tests/unit/test_<property>.c, over libarx; those named test_server_* over libarxd too.
$(B)/unit/test_%: $(B)/tests/unit/test_%.o $(B)/tests/unit/vectors.o $(B)/libarx.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ -o $@ $(CODEC_LIBS) -lcmocka -lnettle

# test_<property>_memory: programs that count the library's allocations and let them fail.
$(B)/unit/test_%_memory: ALL_LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free

unit: $(UNIT)

clean:
	rm -rf build

.PHONY: all unit clean
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
