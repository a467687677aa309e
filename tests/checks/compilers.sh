# The other compiler, and the other machine: clang has no complaints, the core builds for wasm32.
. tests/checks/_tap.sh

warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror"
include="-iquote codec -iquote server -iquote static/assets -iquote static/viewer -iquote tests/unit"
# memory.c speaks of WebAssembly's own memory.
sources=$(find codec server static tests/unit -path static/assets/src -prune -o -name '*.c' ! -path static/viewer/wasm/memory.c -print | sort)

# shellcheck disable=SC2086 # lists of words
clang_warns() {
    echo "$sources" | xargs -P 2 -n 8 clang-14 -std=c17 -D_GNU_SOURCE $warn $include -fsyntax-only
}
check "clang compiles everything without a warning" clang_warns

# The core: all of codec/ but what stands on libraries (brotli, deflate, IDNA) or speaks of URLs, and the tool.
core=$(find codec -maxdepth 1 -name '*.c' ! -name 'brotli*.c' ! -name 'deflate*.c' \
    ! -name 'entropy_native.c' ! -name 'link*.c' ! -name 'url*.c' ! -name 'encode_re*.c' ! -name 'arx_main.c' | sort)
out=build/wasm-check
rm -rf $out && mkdir -p $out
# shellcheck disable=SC2086
core_objects() {
    for source in $core; do
        echo "-c $source -o $out/$(basename "$source" .c).o"
    done | xargs -P 2 -L 1 clang-14 --target=wasm32-wasi -std=c17 -O2 -DNDEBUG $warn $include
}
check "the core compiles for wasm32" core_objects

# All that encoding and decoding reach needs nothing from its host: no file, no clock, no environment.
core_links() {
    clang-14 --target=wasm32-wasi -mexec-model=reactor -O2 -Wl,--export=arx_encode -Wl,--export=arx_decode \
        -Wl,--export=arx_coder_create -Wl,--export=arx_assets_create $out/*.o -o $out/core.wasm
}
check "the core links for wasm32" core_links
core_imports() {
    tests/node_modules/.bin/node -e '
        const imports = WebAssembly.Module.imports(new WebAssembly.Module(require("fs").readFileSync(process.argv[1])));
        for (const { module, name } of imports) console.log(module, name);' $out/core.wasm
}
check_empty "the core imports nothing" core_imports
finish
