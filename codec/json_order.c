/*
 * json_order.c - the order in which JavaScript keeps the members of an object.
 */
#include "json_internal.h"

#include <string.h>

/* An array index of ECMAScript: 0 to 2^32 - 2, written as a number would be. */
static bool integer_name(const arx_json *member) {
    static const char above_all[] = "4294967295";
    const uint8_t *key = member->key;
    uint32_t len = member->key_len;
    if (len == 0 || len > 10 || (key[0] == '0' && len > 1)) {
        return false;
    }
    for (uint32_t i = 0; i < len; i++) {
        if (key[i] < '0' || key[i] > '9') {
            return false;
        }
    }
    return len < 10 || memcmp(key, above_all, 10) < 0;
}

/* Of two integer names, which differ. */
static bool integer_below(const arx_json *a, const arx_json *b) {
    return a->key_len != b->key_len ? a->key_len < b->key_len
                                    : memcmp(a->key, b->key, a->key_len) < 0;
}

static arx_json *merge_by_integer(arx_json *a, arx_json *b) {
    arx_json *first = NULL;
    arx_json **end = &first;
    while (a != NULL && b != NULL) {
        arx_json **lower = integer_below(a, b) ? &a : &b;
        *end = *lower;
        end = &(*lower)->next;
        *lower = *end;
    }
    *end = a != NULL ? a : b;
    return first;
}

/* Merge sort without memory: run i of `runs` holds 2^i members or none. */
static arx_json *sort_by_integer(arx_json *list) {
    arx_json *runs[32] = {NULL}; /* fewer than 2^32 integer names exist */
    while (list != NULL) {
        arx_json *carry = list;
        list = list->next;
        carry->next = NULL;
        size_t i = 0;
        for (; runs[i] != NULL; i++) {
            carry = merge_by_integer(runs[i], carry);
            runs[i] = NULL;
        }
        runs[i] = carry;
    }
    arx_json *sorted = NULL;
    for (size_t i = 0; i < 32; i++) {
        sorted = merge_by_integer(runs[i], sorted);
    }
    return sorted;
}

void arx_json_order_members(arx_json *object) {
    arx_json *integers = NULL;
    arx_json **integers_end = &integers;
    arx_json *others = NULL;
    arx_json **others_end = &others;
    arx_json *last = NULL;
    for (arx_json *member = object->as.list.first; member != NULL; member = member->next) {
        arx_json ***end = integer_name(member) ? &integers_end : &others_end;
        if (end == &others_end) {
            last = member;
        }
        **end = member;
        *end = &member->next;
    }
    *integers_end = NULL;
    *others_end = NULL;
    if (integers == NULL) {
        object->as.list.first = others;
        return;
    }
    integers = sort_by_integer(integers);
    object->as.list.first = integers;
    while (integers->next != NULL) {
        integers = integers->next;
    }
    integers->next = others;
    object->as.list.last = last != NULL ? last : integers;
}
