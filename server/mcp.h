/*
 * mcp.h - the Model Context Protocol at /mcp: what its handlers share. Event thread.
 *
 * One endpoint serves two eras. Legacy (2025-06-18, 2025-11-25) opens with `initialize`; nothing is
 * kept of it, so every request is served for itself. Modern (2026-07-28) has no handshake: version
 * and capabilities come in each request's `_meta`, and the headers repeat version, method and name.
 *
 *     mcp.c            the envelope: JSON-RPC, eras, headers, methods
 *     mcp_call.c       tools/call: dispatch.h behind it
 *     mcp_resources.c  links as resources
 *     mcp_tools.c      definitions as tools
 */
#ifndef ARXD_MCP_H
#define ARXD_MCP_H

#include "decode_work.h"
#include "ids.h"
#include "mcp_tools.h"
#include "oui/binding.h"

/* JSON-RPC's codes, and MCP's. */
typedef enum mcp_code {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL_ERROR = -32603,
    MCP_RESOURCE_NOT_FOUND = -32002, /* legacy; modern clients get MCP_INVALID_PARAMS */
    MCP_HEADER_MISMATCH = -32020,
    MCP_UNSUPPORTED_VERSION = -32022,
} mcp_code;

/* The state of every request. */
typedef struct mcp {
    oui_request oui; /* first, as it asks; its body is the message */
    bool modern;
    const arx_json *id;              /* a string or number; NULL before it was found */
    const arx_json *params;          /* an object, or NULL */
    char call_id[ID_LONG_CHARS + 1]; /* request id of a call */
    /* mcp_resources.c */
    store_op row;
    decode_work decode;
} mcp;

/* Begins a response; the caller appends the result's members to `out`. */
void mcp_result_begin(http_request *request, arx_buf *out);
/* For results that a modern client may keep. They depend on the key, so they are private. */
void mcp_result_cacheable(http_request *request, arx_buf *out);
/* Ends it and replies. Takes the buffer. */
void mcp_result_end(http_request *request, arx_buf *out);
/* Replies with an error in the band: HTTP 200. `uri` NULL, or named in `data`. */
void mcp_error(http_request *request, mcp_code code, const char *message);
void mcp_error_uri(http_request *request, mcp_code code, const char *message, const arx_json *uri);

/* The methods; each replies, now or later. */
void mcp_tools_call(http_request *request);
void mcp_resources_list(http_request *request);
void mcp_resources_templates(http_request *request);
void mcp_resources_read(http_request *request);

#endif
