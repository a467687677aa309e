/* filetype.c - see filetype.h. */
#include "filetype.h"

#include <string.h>

/* Extensions in lower case; for files known by their whole name, the name in lower case. */
static const struct {
    const char *ending;
    arx_filetype type;
} extensions[] =
    {
        {"md", {ARX_KIND_MARKDOWN, NULL}},
        {"markdown", {ARX_KIND_MARKDOWN, NULL}},
        {"mdown", {ARX_KIND_MARKDOWN, NULL}},
        {"mkd", {ARX_KIND_MARKDOWN, NULL}},
        {"txt", {ARX_KIND_MARKDOWN, NULL}},
        {"csv", {ARX_KIND_CSV, NULL}},
        {"json", {ARX_KIND_JSON, NULL}},
        {"geojson", {ARX_KIND_JSON, NULL}},
        {"diff", {ARX_KIND_DIFF, NULL}},
        {"patch", {ARX_KIND_DIFF, NULL}},
        {"asm", {ARX_KIND_CODE, "asm"}},
        {"awk", {ARX_KIND_CODE, "awk"}},
        {"bash", {ARX_KIND_CODE, "bash"}},
        {"bat", {ARX_KIND_CODE, "bat"}},
        {"c", {ARX_KIND_CODE, "c"}},
        {"cc", {ARX_KIND_CODE, "cpp"}},
        {"cfg", {ARX_KIND_CODE, "ini"}},
        {"clj", {ARX_KIND_CODE, "clojure"}},
        {"cjs", {ARX_KIND_CODE, "js"}},
        {"conf", {ARX_KIND_CODE, "ini"}},
        {"cpp", {ARX_KIND_CODE, "cpp"}},
        {"cs", {ARX_KIND_CODE, "csharp"}},
        {"css", {ARX_KIND_CODE, "css"}},
        {"cxx", {ARX_KIND_CODE, "cpp"}},
        {"dart", {ARX_KIND_CODE, "dart"}},
        {"el", {ARX_KIND_CODE, "lisp"}},
        {"erl", {ARX_KIND_CODE, "erlang"}},
        {"ex", {ARX_KIND_CODE, "elixir"}},
        {"exs", {ARX_KIND_CODE, "elixir"}},
        {"fs", {ARX_KIND_CODE, "fsharp"}},
        {"go", {ARX_KIND_CODE, "go"}},
        {"gql", {ARX_KIND_CODE, "graphql"}},
        {"graphql", {ARX_KIND_CODE, "graphql"}},
        {"groovy", {ARX_KIND_CODE, "groovy"}},
        {"h", {ARX_KIND_CODE, "c"}},
        {"hh", {ARX_KIND_CODE, "cpp"}},
        {"hpp", {ARX_KIND_CODE, "cpp"}},
        {"hs", {ARX_KIND_CODE, "haskell"}},
        {"htm", {ARX_KIND_CODE, "html"}},
        {"html", {ARX_KIND_CODE, "html"}},
        {"ini", {ARX_KIND_CODE, "ini"}},
        {"java", {ARX_KIND_CODE, "java"}},
        {"jl", {ARX_KIND_CODE, "julia"}},
        {"js", {ARX_KIND_CODE, "js"}},
        {"jsx", {ARX_KIND_CODE, "jsx"}},
        {"kt", {ARX_KIND_CODE, "kotlin"}},
        {"kts", {ARX_KIND_CODE, "kotlin"}},
        {"less", {ARX_KIND_CODE, "less"}},
        {"lisp", {ARX_KIND_CODE, "lisp"}},
        {"lua", {ARX_KIND_CODE, "lua"}},
        {"m", {ARX_KIND_CODE, "objectivec"}},
        {"mjs", {ARX_KIND_CODE, "js"}},
        {"mk", {ARX_KIND_CODE, "makefile"}},
        {"ml", {ARX_KIND_CODE, "ocaml"}},
        {"mm", {ARX_KIND_CODE, "objectivec"}},
        {"mts", {ARX_KIND_CODE, "ts"}},
        {"nim", {ARX_KIND_CODE, "nim"}},
        {"nix", {ARX_KIND_CODE, "nix"}},
        {"php", {ARX_KIND_CODE, "php"}},
        {"pl", {ARX_KIND_CODE, "perl"}},
        {"pm", {ARX_KIND_CODE, "perl"}},
        {"proto", {ARX_KIND_CODE, "protobuf"}},
        {"ps1", {ARX_KIND_CODE, "powershell"}},
        {"py", {ARX_KIND_CODE, "python"}},
        {"pyi", {ARX_KIND_CODE, "python"}},
        {"r", {ARX_KIND_CODE, "r"}},
        {"rb", {ARX_KIND_CODE, "ruby"}},
        {"rs", {ARX_KIND_CODE, "rust"}},
        {"s", {ARX_KIND_CODE, "asm"}},
        {"sass", {ARX_KIND_CODE, "sass"}},
        {"scala", {ARX_KIND_CODE, "scala"}},
        {"scss", {ARX_KIND_CODE, "scss"}},
        {"sh", {ARX_KIND_CODE, "bash"}},
        {"sol", {ARX_KIND_CODE, "solidity"}},
        {"sql", {ARX_KIND_CODE, "sql"}},
        {"svelte", {ARX_KIND_CODE, "svelte"}},
        {"swift", {ARX_KIND_CODE, "swift"}},
        {"tex", {ARX_KIND_CODE, "latex"}},
        {"tf", {ARX_KIND_CODE, "hcl"}},
        {"toml", {ARX_KIND_CODE, "toml"}},
        {"ts", {ARX_KIND_CODE, "ts"}},
        {"tsx", {ARX_KIND_CODE, "tsx"}},
        {"vb", {ARX_KIND_CODE, "vb"}},
        {"vim", {ARX_KIND_CODE, "vim"}},
        {"vue", {ARX_KIND_CODE, "vue"}},
        {"wat", {ARX_KIND_CODE, "wasm"}},
        {"xml", {ARX_KIND_CODE, "xml"}},
        {"yaml", {ARX_KIND_CODE, "yaml"}},
        {"yml", {ARX_KIND_CODE, "yaml"}},
        {"zig", {ARX_KIND_CODE, "zig"}},
        {"zsh", {ARX_KIND_CODE, "bash"}},
},
  names[] = {
      {"dockerfile", {ARX_KIND_CODE, "dockerfile"}}, {"makefile", {ARX_KIND_CODE, "makefile"}},
      {"gnumakefile", {ARX_KIND_CODE, "makefile"}},  {"cmakelists.txt", {ARX_KIND_CODE, "cmake"}},
      {"gemfile", {ARX_KIND_CODE, "ruby"}},          {"rakefile", {ARX_KIND_CODE, "ruby"}},
      {"jenkinsfile", {ARX_KIND_CODE, "groovy"}},    {"readme", {ARX_KIND_MARKDOWN, NULL}},
      {"changelog", {ARX_KIND_MARKDOWN, NULL}},      {"license", {ARX_KIND_MARKDOWN, NULL}},
};

void arx_file_basename(const uint8_t **path, size_t *len) {
    for (size_t i = *len; i > 0; i--) {
        if ((*path)[i - 1] == '/' || (*path)[i - 1] == '\\') {
            *path += i;
            *len -= i;
            return;
        }
    }
}

/* `str` is in lower case. */
static bool equals_folded(const uint8_t *text, size_t len, const char *str) {
    if (strlen(str) != len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        uint8_t c = text[i] >= 'A' && text[i] <= 'Z' ? (uint8_t)(text[i] | 0x20) : text[i];
        if (c != (uint8_t)str[i]) {
            return false;
        }
    }
    return true;
}

bool arx_filetype_of(const uint8_t *name, size_t len, arx_filetype *type) {
    arx_file_basename(&name, &len);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (equals_folded(name, len, names[i].ending)) {
            *type = names[i].type;
            return true;
        }
    }
    size_t dot = len;
    while (dot > 0 && name[dot - 1] != '.') {
        dot--;
    }
    for (size_t i = 0; dot > 0 && i < sizeof extensions / sizeof extensions[0]; i++) {
        if (equals_folded(name + dot, len - dot, extensions[i].ending)) {
            *type = extensions[i].type;
            return true;
        }
    }
    return false;
}
