/* How many connections an address has open: counted exactly, forgotten at the last, bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http_peers.h"

static http_address v6(uint8_t network, uint8_t host) {
    return (http_address){{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host}};
}

static void connections_come_and_go(void **state) {
    (void)state;
    enum { MAX = 100 };
    http_peers *peers = http_peers_create(MAX);
    assert_non_null(peers);
    /* Every round leaves nothing behind, or the second would find no room. */
    for (int round = 0; round < 3; round++) {
        for (uint8_t i = 0; i < MAX; i++) {
            http_address peer = v6(i, i);
            assert_int_equal(http_peers_count(peers, &peer), 0);
            assert_true(http_peers_enter(peers, &peer));
        }
        http_address late = v6(200, 1);
        assert_false(http_peers_enter(peers, &late));
        assert_int_equal(http_peers_total(peers), MAX);
        for (uint8_t i = 0; i < MAX; i++) {
            http_address peer = v6((uint8_t)(i * 7 % MAX), 9);
            assert_int_equal(http_peers_count(peers, &peer), 1);
            http_peers_leave(peers, &peer);
            assert_int_equal(http_peers_count(peers, &peer), 0);
        }
        assert_int_equal(http_peers_total(peers), 0);
    }
    http_peers_free(peers);
}

static void a_network_is_one_peer(void **state) {
    (void)state;
    http_peers *peers = http_peers_create(16);
    assert_non_null(peers);
    http_address a = v6(1, 1);
    http_address b = v6(1, 2);
    http_address c = v6(2, 1);
    assert_true(http_peers_enter(peers, &a));
    assert_true(http_peers_enter(peers, &b));
    assert_true(http_peers_enter(peers, &c));
    assert_int_equal(http_peers_count(peers, &b), 2);
    assert_int_equal(http_peers_count(peers, &c), 1);
    http_peers_leave(peers, &a);
    assert_int_equal(http_peers_count(peers, &b), 1);
    http_peers_free(peers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_come_and_go),
        cmocka_unit_test(a_network_is_one_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
