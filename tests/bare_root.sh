# bare_root.sh - a bare Debian 12 in a folder, for tests that must not lean on what this machine has.
# Sourced, as root. From the root of the checkout.
#
#   bare_root DIR PACKAGES    debootstraps the smallest Debian there with these packages (joined by
#                             commas) and this machine's way to the package archives: its apt sources,
#                             certificates and npm settings, as behind a company's proxy. Kept packed
#                             in build/ for the next time.
#   HOST_CA                   where the certificates are, inside
#
# Certificates lie under a name of their own: the package ca-certificates writes its bundle anew.

HOST_CA=/usr/local/share/host-certificates.crt

# As the images of Debian that are made for containers: without documents and translations, and
# without a sync for every file that is unpacked, which takes most of the time.
like_a_slim_image() { # DIR
    mkdir -p "$1/etc/dpkg/dpkg.cfg.d" "$1/etc/apt/apt.conf.d"
    cat >"$1/etc/dpkg/dpkg.cfg.d/slim" <<'EOF'
force-unsafe-io
path-exclude /usr/share/doc/*
path-exclude /usr/share/man/*
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
path-include /usr/share/doc/*/copyright
EOF
    echo 'Acquire::Languages "none";' >"$1/etc/apt/apt.conf.d/slim"
}

bare_root() {
    root=$1 packages=$2
    packed=build/bare-root-$(echo "$packages" | tr , -).tar
    mkdir -p build "$root"
    if [ ! -f "$packed" ]; then
        archive=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' | awk '$1 == "bookworm" { print $2; exit }')
        like_a_slim_image "$root"
        debootstrap --variant=minbase --include="$packages" bookworm "$root" $archive >"$root.log" 2>&1 ||
            { tail -20 "$root.log"; return 1; }
        rm -rf "$root"/var/cache/apt/archives/*.deb
        tar -C "$root" -cf "$packed.part" . && mv "$packed.part" "$packed"
    else
        tar -C "$root" -xpf "$packed"
    fi
    # This machine's own sources of Debian, and none of others.
    rm -f "$root/etc/apt/sources.list"
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(CODENAME)' |
        awk '$4 ~ /^bookworm/ && !seen[$0]++ { print "deb", $1, $4, $3 }' >"$root/etc/apt/sources.list"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    [ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root$HOST_CA"
    echo "registry=$(npm config get registry)" >"$root/etc/npmrc"
    [ ! -f "$root$HOST_CA" ] || echo "cafile=$HOST_CA" >>"$root/etc/npmrc"
    mkdir -p "$root/usr/etc" && cp "$root/etc/npmrc" "$root/usr/etc/npmrc"
}
