/* store_list.h - operations in line, linked through store_op.next. Not locked: the owner does. */
#ifndef ARXD_STORE_LIST_H
#define ARXD_STORE_LIST_H

#include "store.h"

typedef struct op_list {
    store_op *first;
    store_op *last;
    size_t count;
} op_list;

static inline void op_push(op_list *list, store_op *op) {
    op->next = NULL;
    if (list->last == NULL) {
        list->first = op;
    } else {
        list->last->next = op;
    }
    list->last = op;
    list->count++;
}

/* NULL: there is none left. */
static inline store_op *op_pop(op_list *list) {
    store_op *op = list->first;
    if (op != NULL) {
        list->first = op->next;
        if (list->first == NULL) {
            list->last = NULL;
        }
        list->count--;
        op->next = NULL;
    }
    return op;
}

#endif
