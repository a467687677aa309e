/* config.c - see config.h. */
#include "config.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum setting_type {
    SETTING_NUMBER,
    SETTING_TEXT,
    SETTING_SWITCH,  /* a flag without a value; the variable says on or off */
    SETTING_FOLDERS, /* repeatable; `:` between folders in the variable */
    SETTING_URL,
    SETTING_HOST,
    SETTING_DATABASE,
    SETTING_LOG,
    SETTING_RATES,
    SETTING_QUOTA,
    SETTING_LISTEN,
} setting_type;

typedef struct setting {
    const char *flag;
    const char *variable;
    const char *preset; /* "cores": the number of processors; NULL: not set */
    setting_type type;
    size_t offset; /* of the field, or the first of them */
    uint32_t min;
    uint32_t max;
    const char *form; /* the value in the help text */
    const char *help;
} setting;

#define FIELD(name) offsetof(server_config, name)

static const setting settings[] = {
    {"host", "HOST", "127.0.0.1", SETTING_HOST, FIELD(host), 0, 0, "ADDRESS",
     "address to listen on; beyond loopback needs --open"},
    {"port", "PORT", "3000", SETTING_NUMBER, FIELD(port), 0, 65535, "N",
     "port to listen on; 0 takes any free one"},
    {"db", "DB_PATH", "./data/arxd.db", SETTING_DATABASE, FIELD(db), 0, 0, "PATH",
     "SQLite file, its folder is made if need be; or postgresql://user:password@host/name"},
    {"assets", "ARX_ASSETS", NULL, SETTING_TEXT, FIELD(assets), 0, 0, "DIR",
     "asset set to encode with (default: built in)"},
    {"compat", "ARXD_COMPAT_ASSETS", NULL, SETTING_FOLDERS, FIELD(compat), 0, 0, "DIR",
     "asset set that is only read; repeatable, `:` between folders in the variable"},
    {"public-url", "ARXD_PUBLIC_URL", NULL, SETTING_URL, FIELD(public_url), 0, 0, "URL",
     "what links start with (default: from the request)"},
    {"ttl-hours", "ARXD_TTL_HOURS", "24", SETTING_NUMBER, FIELD(ttl_hours), 1, 87600, "N",
     "how long a link lives after it was last opened"},
    {"max-ttl-hours", "ARXD_MAX_TTL_HOURS", "8760", SETTING_NUMBER, FIELD(max_ttl_hours), 1, 87600,
     "N", "longest life a request may ask for"},
    {"max-body", "ARXD_MAX_BODY", "4194304", SETTING_NUMBER, FIELD(max_body_bytes), 65536, 67108864,
     "BYTES", "largest request body"},
    {"threads", "ARXD_THREADS", "cores", SETTING_NUMBER, FIELD(threads), 1, 64, "N",
     "event threads"},
    {"workers", "ARXD_WORKERS", "cores", SETTING_NUMBER, FIELD(workers), 1, 64, "N",
     "threads that encode and decode"},
    {"queue", "ARXD_QUEUE", "64", SETTING_NUMBER, FIELD(queue), 1, 65536, "N",
     "most encodes and decodes waiting for a worker"},
    {"encode-deadline", "ARXD_ENCODE_DEADLINE_MS", "30000", SETTING_NUMBER,
     FIELD(encode_deadline_ms), 100, 600000, "MS", "longest a request waits for a worker's result"},
    {"image-mb", "ARXD_IMAGE_MB", "256", SETTING_NUMBER, FIELD(image_mb), 40, 65536, "MB",
     "memory for primed models"},
    {"raw-cache-mb", "ARXD_RAW_CACHE_MB", "32", SETTING_NUMBER, FIELD(raw_cache_mb), 0, 65536, "MB",
     "memory for decoded artifacts"},
    {"tokens", "ARXD_TOKENS_FILE", NULL, SETTING_TEXT, FIELD(tokens_file), 0, 0, "PATH",
     "who may create links: `name scopes sha256 [expires] [rates]` a line; read again on SIGHUP"},
    {"open", "ARXD_OPEN", "off", SETTING_SWITCH, FIELD(open), 0, 0, NULL,
     "allow listening beyond loopback without a tokens file: everybody may create links"},
    {"open-writes", "ARXD_OPEN_WRITES", "off", SETTING_SWITCH, FIELD(open_writes), 0, 0, NULL,
     "let everybody who knows a link's id change and delete it"},
    {"gone", "ARXD_GONE", "off", SETTING_SWITCH, FIELD(gone), 0, 0, NULL,
     "answer 410 for 24 hours after a link was deleted or has expired"},
    {"backups", "ARXD_BACKUPS", NULL, SETTING_TEXT, FIELD(backups), 0, 0, "DIR",
     "folder for backups of 3 starts and 7 days that arxd makes by itself (default: none)"},
    {"trust-proxy", "ARXD_TRUST_PROXY", "0", SETTING_NUMBER, FIELD(trusted_hops), 0, 16, "HOPS",
     "proxies in front whose forwarded headers count"},
    {"quota", "ARXD_QUOTA", "0", SETTING_QUOTA, FIELD(quota), 0, 0, "LIST",
     "most links and bytes in the database, rows=100000,bytes=2g; 0: no limits"},
    {"rate", "ARXD_RATE", "read=100/s,write=10/s,encode=2/s,fail=1/s", SETTING_RATES, FIELD(rates),
     0, 0, "LIST", "what one address or token may do, in bursts of 10 seconds; 0: no limits"},
    {"max-connections", "ARXD_MAX_CONNECTIONS", "4096", SETTING_NUMBER, FIELD(max_connections), 16,
     1000000, "N", "most connections"},
    {"max-per-address", "ARXD_MAX_PER_ADDRESS", "256", SETTING_NUMBER, FIELD(max_per_address), 0,
     1000000, "N", "most connections from one address; 0 for no limit"},
    {"metrics-listen", "ARXD_METRICS_LISTEN", NULL, SETTING_LISTEN, FIELD(metrics_host), 0, 0,
     "ADDRESS:PORT", "where GET /metrics answers with Prometheus metrics (default: nowhere)"},
    {"log", "ARXD_LOG", "text:info", SETTING_LOG, FIELD(log_format), 0, 0, "FORMAT:LEVEL",
     "text or json; error, warn, info or debug"},
    {"shutdown-grace", "SHUTDOWN_GRACE_MS", "5000", SETTING_NUMBER, FIELD(shutdown_grace_ms), 0,
     600000, "MS", "how long a stop waits for requests in flight"},
};

#define SETTING_COUNT (sizeof settings / sizeof settings[0])

/* Operands that are given as flags; all of them are databases. */
static const char *const copy_flags[CONFIG_OPERANDS] = {"--from", "--to"};

/* What arxd does instead of serving. */
static const struct {
    const char *name;
    config_action action;
    size_t min; /* operands by their place */
    size_t max;
    const char *form;
    const char *help;
    const char *const *flags; /* NULL: it has none of its own */
} commands[] = {
    {"token", CONFIG_TOKEN, 2, 3, "token NAME SCOPES [EXPIRES]",
     "print a new token and its line for the tokens file", NULL},
    {"delete", CONFIG_DELETE, 1, 1, "delete ID", "remove a link, whoever made it", NULL},
    {"backup", CONFIG_BACKUP, 1, 1, "backup FILE", "copy the database, also while arxd runs", NULL},
    {"restore", CONFIG_RESTORE, 1, 1, "restore FILE", "put a backup in the database's place", NULL},
    {"copy", CONFIG_COPY, 0, 0, "copy --from DATABASE --to DATABASE",
     "copy everything to a database of either kind; killed, it goes on", copy_flags},
    {"check", CONFIG_CHECK, 0, 0, "check", "look the database and every link in it over", NULL},
    {"stats", CONFIG_STATS, 0, 0, "stats", "count what is in the database", NULL},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

/* ---- values ---- */

/* Where a value comes from, for messages. */
typedef struct source {
    const setting *setting;
    const char *name; /* "--port" or "PORT" */
    const char *value;
    char *why;
    size_t why_size;
} source;

static bool refuse(const source *from, const char *allowed) {
    (void)snprintf(from->why, from->why_size, "%s: \"%.200s\" is not %s", from->name, from->value,
                   allowed);
    return false;
}

static bool no_memory(const source *from) {
    (void)snprintf(from->why, from->why_size, "%s: no memory", from->name);
    return false;
}

static uint32_t core_count(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return (uint32_t)(count < 1 ? 1 : count > 64 ? 64 : count);
}

static bool set_number(uint32_t *field, const source *from) {
    const setting *row = from->setting;
    if (row->preset != NULL && strcmp(row->preset, "cores") == 0 &&
        strcmp(from->value, "cores") == 0) {
        *field = core_count();
        return true;
    }
    uint64_t number = 0;
    size_t len = strlen(from->value);
    bool digits = len > 0 && len <= 10 && strspn(from->value, "0123456789") == len;
    for (size_t i = 0; digits && i < len; i++) {
        number = number * 10 + (uint64_t)(from->value[i] - '0');
    }
    if (!digits || number < row->min || number > row->max) {
        char allowed[64];
        (void)snprintf(allowed, sizeof allowed, "a whole number from %u to %u", (unsigned)row->min,
                       (unsigned)row->max);
        return refuse(from, allowed);
    }
    *field = (uint32_t)number;
    return true;
}

static bool set_switch(bool *field, const source *from) {
    static const char *const on[] = {"1", "on", "true", "yes"};
    static const char *const off[] = {"0", "off", "false", "no"};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
        if (strcasecmp(from->value, on[i]) == 0) {
            *field = true;
            return true;
        }
        if (strcasecmp(from->value, off[i]) == 0) {
            *field = false;
            return true;
        }
    }
    return refuse(from, "on or off");
}

static void clear_folders(server_config *config) {
    for (size_t i = 0; i < config->compat_count; i++) {
        free(config->compat[i]);
    }
    free(config->compat);
    config->compat = NULL;
    config->compat_count = 0;
}

static bool add_folder(server_config *config, const source *from, const char *folder, size_t len) {
    if (len == 0) {
        return refuse(from, "a list of folders");
    }
    char **grown = realloc(config->compat, (config->compat_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return no_memory(from);
    }
    config->compat = grown;
    grown[config->compat_count] = strndup(folder, len);
    if (grown[config->compat_count] == NULL) {
        return no_memory(from);
    }
    config->compat_count++;
    return true;
}

static bool add_folders(server_config *config, const source *from) {
    const char *at = from->value;
    for (;;) {
        size_t len = strcspn(at, ":");
        if (!add_folder(config, from, at, len)) {
            return false;
        }
        if (at[len] == '\0') {
            return true;
        }
        at += len + 1;
    }
}

/* Scheme, authority and perhaps a path, of characters that need no quoting anywhere. */
static bool set_url(char **field, const source *from) {
    const char *url = from->value;
    const char *authority = strncmp(url, "https://", 8) == 0  ? url + 8
                            : strncmp(url, "http://", 7) == 0 ? url + 7
                                                              : NULL;
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~:/[]%";
    if (authority == NULL || *authority == '\0' || *authority == '/' ||
        strspn(authority, plain) != strlen(authority)) {
        return refuse(from, "an http:// or https:// URL without query and fragment");
    }
    size_t len = strlen(url);
    while (url[len - 1] == '/') {
        len--;
    }
    free(*field);
    *field = strndup(url, len);
    return *field != NULL || no_memory(from);
}

/* A path, or the URL of a database there is an engine for. A password in it stays out of messages.
 */
static bool set_database(const char **field, const source *from) {
    const char *scheme_end = strstr(from->value, "://");
    if (scheme_end != NULL && strncmp(from->value, "postgresql://", 13) != 0 &&
        strncmp(from->value, "postgres://", 11) != 0) {
        (void)snprintf(from->why, from->why_size,
                       "%s: \"%.*s://...\" is not the path of a file or postgresql://...",
                       from->name, (int)(scheme_end - from->value), from->value);
        return false;
    }
    *field = from->value;
    return true;
}

static bool is_address(const char *host) {
    unsigned char address[sizeof(struct in6_addr)];
    return strcmp(host, "localhost") == 0 || inet_pton(AF_INET, host, address) == 1 ||
           inet_pton(AF_INET6, host, address) == 1;
}

static bool set_host(const char **field, const source *from) {
    if (!is_address(from->value)) {
        return refuse(from, "an IPv4 or IPv6 address or localhost");
    }
    *field = from->value;
    return true;
}

static bool set_log(server_config *config, const source *from) {
    static const char *const formats[] = {[LOG_TEXT] = "text", [LOG_JSON] = "json"};
    static const char *const levels[] = {
        [LOG_ERROR] = "error", [LOG_WARN] = "warn", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};
    size_t len = strcspn(from->value, ":");
    const char *level = from->value[len] == ':' ? from->value + len + 1 : "info";
    size_t f = 0;
    size_t l = 0;
    while (f < 2 && (strlen(formats[f]) != len || strncmp(from->value, formats[f], len) != 0)) {
        f++;
    }
    while (l < 4 && strcmp(level, levels[l]) != 0) {
        l++;
    }
    if (f == 2 || l == 4) {
        return refuse(from, "text or json, a colon, and error, warn, info or debug");
    }
    config->log_format = (log_format)f;
    config->log_level = (log_level)l;
    return true;
}

/* What the list leaves out is as by default. */
static bool set_rates(allowance *field, const source *from) {
    const char *preset = from->setting->preset;
    bool good = allowance_parse(preset, strlen(preset), ALLOWANCE_RATES, field) &&
                allowance_parse(from->value, strlen(from->value), ALLOWANCE_RATES, field);
    return good || refuse(from, allowance_form(ALLOWANCE_RATES));
}

/* "127.0.0.1:9100", "[::1]:9100", "localhost:9100" */
static bool set_listen(server_config *config, const source *from) {
    static const char allowed[] = "an address and a port from 1 to 65535, such as 127.0.0.1:9100";
    const char *colon = strrchr(from->value, ':');
    const char *start = from->value;
    const char *end = colon;
    if (colon == NULL) {
        return refuse(from, allowed);
    }
    bool brackets = *start == '[' && end > start + 1 && end[-1] == ']';
    start += brackets ? 1 : 0;
    end -= brackets ? 1 : 0;
    char *host = strndup(start, (size_t)(end - start));
    if (host == NULL) {
        return no_memory(from);
    }
    const char *port = colon + 1;
    size_t digits = strspn(port, "0123456789");
    unsigned long number =
        digits > 0 && digits <= 5 && port[digits] == '\0' ? strtoul(port, NULL, 10) : 0;
    bool is_v6 = strchr(host, ':') != NULL;
    if (number == 0 || number > 65535 || is_v6 != brackets || !is_address(host)) {
        free(host);
        return refuse(from, allowed);
    }
    free(config->metrics_host);
    config->metrics_host = host;
    config->metrics_port = (uint32_t)number;
    return true;
}

static bool apply(server_config *config, const source *from) {
    void *field = (char *)config + from->setting->offset;
    if (*from->value == '\0') {
        return refuse(from, "a value");
    }
    switch (from->setting->type) {
    case SETTING_NUMBER:
        return set_number(field, from);
    case SETTING_TEXT:
        *(const char **)field = from->value;
        return true;
    case SETTING_SWITCH:
        return set_switch(field, from);
    case SETTING_FOLDERS:
        return add_folders(config, from);
    case SETTING_URL:
        return set_url(field, from);
    case SETTING_DATABASE:
        return set_database(field, from);
    case SETTING_HOST:
        return set_host(field, from);
    case SETTING_LOG:
        return set_log(config, from);
    case SETTING_QUOTA:
        *(allowance *)field = (allowance){0};
        return allowance_parse(from->value, strlen(from->value), ALLOWANCE_QUOTAS, field) ||
               refuse(from, allowance_form(ALLOWANCE_QUOTAS));
    case SETTING_LISTEN:
        return set_listen(config, from);
    case SETTING_RATES:
        return set_rates(field, from);
    }
    return false;
}

/* ---- the command line ---- */

static const setting *find_flag(const char *name, size_t len) {
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strlen(settings[i].flag) == len && strncmp(settings[i].flag, name, len) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

static config_action special_flag(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ? CONFIG_HELP
           : strcmp(argument, "--version") == 0                           ? CONFIG_VERSION
           : strcmp(argument, "--healthcheck") == 0                       ? CONFIG_HEALTHCHECK
                                                                          : CONFIG_RUN;
}

/* The words of a command line that are neither flags nor their values: a command, its operands. */
typedef struct words {
    const char *word[1 + CONFIG_OPERANDS];
    size_t count;
    const char *named[CONFIG_OPERANDS];
} words;

static size_t find_command(const words *given) {
    size_t i = 0;
    while (i < COMMAND_COUNT && strcmp(commands[i].name, given->word[0]) != 0) {
        i++;
    }
    return i;
}

/*
 * Where the value of a flag goes that belongs to the command alone, as in `arxd copy --from FILE`.
 * NULL: it is none of those.
 */
static const char **find_named(words *given, const char *argument, size_t len) {
    size_t i = given->count == 0 ? COMMAND_COUNT : find_command(given);
    if (i == COMMAND_COUNT || commands[i].flags == NULL) {
        return NULL;
    }
    for (size_t k = 0; k < CONFIG_OPERANDS; k++) {
        const char *name = commands[i].flags[k];
        if (name != NULL && strlen(name) == len && strncmp(name, argument, len) == 0) {
            return &given->named[k];
        }
    }
    return NULL;
}

/* `action` unless a command says another. */
static config_action read_command(server_config *config, const words *given, config_action action,
                                  char *why, size_t why_size) {
    if (given->count == 0) {
        return action;
    }
    size_t i = find_command(given);
    if (i == COMMAND_COUNT) {
        (void)snprintf(why, why_size, "\"%.200s\" is no command of arxd; see arxd --help",
                       given->word[0]);
        return CONFIG_WRONG;
    }
    bool whole = true;
    for (size_t k = 0; k < CONFIG_OPERANDS; k++) {
        const char *name = commands[i].flags != NULL ? commands[i].flags[k] : NULL;
        const char *value = name != NULL           ? given->named[k]
                            : k + 1 < given->count ? given->word[1 + k]
                                                   : NULL;
        whole = whole && (name == NULL || (value != NULL && *value != '\0'));
        if (whole && name != NULL &&
            !set_database(&value, &(source){NULL, name, value, why, why_size})) {
            return CONFIG_WRONG;
        }
        config->operands[k] = value;
    }
    size_t operands = given->count - 1;
    if (!whole || operands < commands[i].min || operands > commands[i].max) {
        (void)snprintf(why, why_size, "%s: write it as arxd %s", commands[i].name,
                       commands[i].form);
        return CONFIG_WRONG;
    }
    return commands[i].action;
}

/* Applies argv over what is there. --help and --version end it. */
static config_action apply_flags(server_config *config, int argc, char *const *argv, char *why,
                                 size_t why_size) {
    config_action action = CONFIG_RUN;
    words given = {.count = 0};
    bool folders_given = false;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        config_action special = special_flag(argument);
        if (special == CONFIG_HELP || special == CONFIG_VERSION) {
            return special;
        }
        if (special == CONFIG_HEALTHCHECK) {
            action = special;
            continue;
        }
        if (strncmp(argument, "--", 2) != 0 && given.count < 1 + CONFIG_OPERANDS) {
            given.word[given.count++] = argument;
            continue;
        }
        size_t len = strcspn(argument, "=");
        const char **named = find_named(&given, argument, len);
        if (named != NULL) {
            *named = argument[len] == '=' ? argument + len + 1 : i + 1 < argc ? argv[++i] : NULL;
            continue;
        }
        const setting *row =
            strncmp(argument, "--", 2) == 0 ? find_flag(argument + 2, len - 2) : NULL;
        if (row == NULL) {
            (void)snprintf(why, why_size, "\"%.200s\" is no flag of arxd; see arxd --help",
                           argument);
            return CONFIG_WRONG;
        }
        char name[40];
        (void)snprintf(name, sizeof name, "--%s", row->flag);
        source from = {row, name, NULL, why, why_size};
        if (argument[len] == '=') {
            from.value = argument + len + 1;
        } else if (row->type == SETTING_SWITCH) {
            from.value = "on";
        } else if (i + 1 < argc) {
            from.value = argv[++i];
        } else {
            (void)snprintf(why, why_size, "%s: a value is missing (%s)", name, row->form);
            return CONFIG_WRONG;
        }
        if (row->type == SETTING_FOLDERS && !folders_given) {
            clear_folders(config); /* the variable's, which the flags replace */
            folders_given = true;
        }
        if (!apply(config, &from)) {
            return CONFIG_WRONG;
        }
    }
    return read_command(config, &given, action, why, why_size);
}

/* A flag that is given keeps its variable from being looked at, right or wrong. */
static bool flag_given(const setting *row, int argc, char *const *argv) {
    size_t len = strlen(row->flag);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, row->flag, len) == 0 &&
            (argv[i][2 + len] == '\0' || argv[i][2 + len] == '=')) {
            return true;
        }
    }
    return false;
}

config_action config_parse(server_config *config, int argc, char *const *argv,
                           const char *(*lookup)(const char *name), char *why, size_t why_size) {
    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const setting *row = &settings[i];
        const char *value = flag_given(row, argc, argv) ? NULL : lookup(row->variable);
        source from = {row, row->variable, value, why, why_size};
        if (value == NULL || *value == '\0') {
            from.name = row->flag;
            from.value = row->preset;
        }
        if (from.value != NULL && !apply(config, &from)) {
            return CONFIG_WRONG;
        }
    }
    config_action action = apply_flags(config, argc, argv, why, why_size);
    if (action == CONFIG_RUN && config->ttl_hours > config->max_ttl_hours) {
        (void)snprintf(why, why_size,
                       "--ttl-hours: \"%u\" is not within --max-ttl-hours, which is %u",
                       (unsigned)config->ttl_hours, (unsigned)config->max_ttl_hours);
        return CONFIG_WRONG;
    }
    if (action == CONFIG_RUN && !config->open && config->tokens_file == NULL &&
        !config_is_loopback(config->host)) {
        (void)snprintf(why, why_size,
                       "--host: \"%s\" is reachable from other machines, where everybody could "
                       "create links; name who may with --tokens, allow it with --open, or listen "
                       "on 127.0.0.1",
                       config->host);
        return CONFIG_WRONG;
    }
    return action;
}

void config_clear(server_config *config) {
    clear_folders(config);
    free(config->metrics_host);
    config->metrics_host = NULL;
    free(config->public_url);
    config->public_url = NULL;
}

const char *config_db_name(const server_config *config) {
    return strstr(config->db, "://") != NULL ? "the database" : config->db;
}

bool config_is_loopback(const char *host) {
    struct in_addr v4;
    struct in6_addr v6;
    if (strcmp(host, "localhost") == 0) {
        return true;
    }
    if (inet_pton(AF_INET, host, &v4) == 1) {
        return ntohl(v4.s_addr) >> 24 == 127;
    }
    return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

const char *config_base_path(const server_config *config) {
    const char *url = config->public_url;
    const char *authority = url != NULL ? strstr(url, "://") : NULL;
    const char *path = authority != NULL ? strchr(authority + strlen("://"), '/') : NULL;
    return path != NULL ? path : "";
}

void config_print_help(FILE *out) {
    (void)fputs("arxd - links to pieces of work: fragment links that no server sees, and short "
                "links.\n\nusage: arxd [flag ...]\n       arxd command ... [flag ...]\n\n",
                out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        (void)fprintf(out, "  %-38s %s\n", commands[i].form, commands[i].help);
    }
    (void)fputs("\n", out);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const setting *row = &settings[i];
        char left[48];
        (void)snprintf(left, sizeof left, "--%s%s%s", row->flag, row->form != NULL ? " " : "",
                       row->form != NULL ? row->form : "");
        (void)fprintf(out, "  %-26s %s\n  %26s (%s", left, row->help, "", row->variable);
        if (row->preset != NULL) {
            (void)fprintf(out, ", default %s", row->preset);
        }
        if (row->type == SETTING_NUMBER) {
            (void)fprintf(out, ", %u to %u", (unsigned)row->min, (unsigned)row->max);
        }
        (void)fputs(")\n", out);
    }
    (void)fputs(
        "  --healthcheck              ask a running server: exit 0 when it is well, else 1\n"
        "  --version                  print the version\n"
        "  --help                     print this\n\n"
        "A flag wins over its variable (in parentheses), that over the default.\n",
        out);
}
