/*
 * mcp_tools.h - the actions as MCP tools: one function makes a tool of a definition, there is no
 * second list. Made once, at the start; immutable then, any thread.
 *
 * A tool's name is its surface's id, `_` and its action's id; surface ids hold no `_`, so the first
 * one takes the name apart again. Beside the actions stand three of the runtime's own
 * (own_tools.json, surface `oui`), which no index lists.
 */
#ifndef ARXD_MCP_TOOLS_H
#define ARXD_MCP_TOOLS_H

#include "actions.h"

typedef struct mcp_tools mcp_tools;

/* What a tool's name stands for. */
typedef enum mcp_tool_kind {
    MCP_TOOL_NONE,
    MCP_TOOL_ACTION,
    MCP_TOOL_SNAPSHOT,
    MCP_TOOL_READ,
    MCP_TOOL_RESULT,
} mcp_tool_kind;

/* all: borrowed for good. NULL with one line in `why`. */
mcp_tools *mcp_tools_open(const actions *all, char *why, size_t why_size);
void mcp_tools_free(mcp_tools *self); /* NULL is fine */

/* The array of all tools, as JSON. */
const arx_buf *mcp_tools_list(const mcp_tools *self);

/*
 * By name. *what: with MCP_TOOL_ACTION. *input: what arguments must fit, with the others.
 */
mcp_tool_kind mcp_tools_find(const mcp_tools *self, const arx_json *name, const action **what,
                             const schema **input);

/* Appends one tool. Pure; exposed for its test. Fails as oui_definition_hash() does. */
arx_result mcp_tool_write(const arx_json *surface_id, const arx_json *definition,
                          arx_buf *out) ARX_MUST_CHECK;

#endif
