/* Ids: both written forms, one spelling each, and new ones that are random version 4 UUIDs. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vectors.h"

#include "ids.h"

static void test_forms(void **state) {
    (void)state;
    static const uint8_t bytes[ID_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x4f, 0x77,
                                            0xbf, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    char text[ID_LONG_CHARS + 1];
    uint8_t id[ID_BYTES];
    id_format_long(bytes, text);
    assert_string_equal(text, "00112233-4455-4f77-bf99-aabbccddeeff");
    assert_true(id_parse(text, id));
    assert_memory_equal(id, bytes, ID_BYTES);
    assert_true(id_parse("00112233-4455-4F77-BF99-AABBCCDDEEFF", id));
    assert_memory_equal(id, bytes, ID_BYTES);
    id_format_short(bytes, text);
    assert_string_equal(text, "ABEiM0RVT3e_maq7zN3u_w");
    assert_true(id_parse(text, id));
    assert_memory_equal(id, bytes, ID_BYTES);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "00112233-4455-4f77-bf99-aabbccddeef",
        "00112233-4455-4f77-bf99-aabbccddeeff0",
        "00112233-4455-4f77-bf99-aabbccddeefg",
        "001122334-455-4f77-bf99-aabbccddeeff",
        "00112233445-5-4f77-bf99-aabbccddeeff",
        "00112233-4455-4f77-bf99-aabbccddee f",
        "00112233+4455+4f77+bf99+aabbccddeeff",
        "{0112233-4455-4f77-bf99-aabbccddeef}",
        "{00112233-4455-4f77-bf99-aabbccddeeff}",
        "00112233445544778899aabbccddeeff",
        "ABEiM0RVT3e_maq7zN3u_x", /* the same bytes, spelled otherwise */
        "ABEiM0RVT3e_maq7zN3u_9",
        "ABEiM0RVT3e/maq7zN3u_w",
        "ABEiM0RVT3e+maq7zN3u_w",
        "ABEiM0RVT3e_maq7zN3u_w==",
        "ABEiM0RVT3e_maq7zN3u_",
        "ABEiM0RVT3e_maq7zN3u_wA",
    };
    uint8_t id[ID_BYTES];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (id_parse(texts[i], id)) {
            fail_msg("taken for an id: %s", texts[i]);
        }
    }
    static const char last[] = "AQgw";
    char text[ID_SHORT_CHARS + 1] = "ABEiM0RVT3e_maq7zN3u_w";
    for (const char *c = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
         *c != '\0'; c++) {
        text[ID_SHORT_CHARS - 1] = *c;
        assert_int_equal(id_parse(text, id), strchr(last, *c) != NULL);
    }
}

static int compare(const void *a, const void *b) {
    return memcmp(a, b, ID_BYTES);
}

/*
 * The kernel's generator, watched: libuuid's call comes here. It mixes in bytes of its own, which
 * make nothing worse; what must not happen is that it goes without the kernel's.
 */
static size_t draws;

ssize_t getrandom(void *buffer, size_t len, unsigned flags) {
    ssize_t got = syscall(SYS_getrandom, buffer, len, flags);
    draws += got == ID_BYTES;
    return got;
}

/* Version 4 in the RFC's variant, and drawn whole; never made of a time and an address. */
static bool is_random(const uint8_t id[ID_BYTES], size_t drawn_before) {
    return id[6] >> 4 == 4 && id[8] >> 6 == 2 && draws == drawn_before + 1;
}

static void generate(uint8_t id[ID_BYTES]) {
    size_t before = draws;
    assert_true(id_generate(id));
    assert_true(is_random(id, before));
}

static void test_generated(void **state) {
    (void)state;
    const size_t count = 250000; /* of 32 bits, seven would be drawn twice */
    uint8_t *ids = malloc(count * ID_BYTES);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) {
        uint8_t *id = ids + i * ID_BYTES;
        generate(id);
        char text[ID_LONG_CHARS + 1];
        uint8_t back[ID_BYTES];
        id_format_long(id, text);
        assert_true(id_parse(text, back));
        assert_memory_equal(back, id, ID_BYTES);
        id_format_short(id, text);
        assert_true(id_parse(text, back));
        assert_memory_equal(back, id, ID_BYTES);
    }
    qsort(ids, count, ID_BYTES, compare);
    for (size_t i = 1; i < count; i++) {
        assert_true(memcmp(ids + (i - 1) * ID_BYTES, ids + i * ID_BYTES, ID_BYTES) != 0);
    }
    free(ids);
}

/* Nothing that a process hands on to its children decides about an id. */
static void test_generated_after_fork(void **state) {
    (void)state;
    uint8_t ids[3][ID_BYTES];
    generate(ids[2]);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            uint8_t id[ID_BYTES];
            bool good = id_generate(id) && write(ends[1], id, ID_BYTES) == ID_BYTES;
            _exit(good ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(read(ends[0], ids[i], ID_BYTES), ID_BYTES);
    }
    close(ends[0]);
    close(ends[1]);
    for (int i = 0; i < 3; i++) {
        assert_memory_not_equal(ids[i], ids[(i + 1) % 3], ID_BYTES);
    }
}

/* In an empty root, as a container may have it: there is no /dev to read from. */
static void test_generated_without_dev(void **state) {
    (void)state;
    char folder[] = "build/ids-XXXXXX";
    assert_non_null(mkdtemp(folder));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (chroot(folder) != 0 || chdir("/") != 0) {
            _exit(77);
        }
        uint8_t id[ID_BYTES];
        size_t before = draws;
        _exit(access("/dev", F_OK) != 0 && id_generate(id) && is_random(id, before) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    rmdir(folder);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        skip(); /* not root */
    }
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_generated_after_fork),
        cmocka_unit_test(test_generated_without_dev),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
