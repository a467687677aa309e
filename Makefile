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
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

all: $(B)/libarx.a

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(B)/libarx.a: $(CODEC_OBJ)
	rm -f $@ && $(AR) rcs $@ $^

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
