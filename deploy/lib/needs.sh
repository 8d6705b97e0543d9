# shellcheck shell=bash
# Checks and installs the required tools and packages. Sourced, not run; needs words.sh.

minimum_swift=6.2

# Does not install Swift, because there are several ways (swiftly, packages, an archive). The user chooses one.
require_swift() {
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1) || true
    [[ -n $version ]] ||
        die 69 "Swift is missing." "Install Swift $minimum_swift or later and put it on the PATH:" \
            "https://www.swift.org/install/"
    is_at_least "$minimum_swift" "$version" ||
        die 69 "Swift $version is too old. Install Swift $minimum_swift or later:" "https://www.swift.org/install/"
}

# is_at_least MINIMUM VERSION
is_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

# require_packages NAME…: installs missing packages. The names are Debian's.
require_packages() {
    local missing=() package
    for package; do is_installed "$package" || missing+=("$package"); done
    if ((${#missing[@]} == 0)); then return; fi
    can_install || die 69 "Missing packages: ${missing[*]}" "$(advice "${missing[@]}")" "Then run $0 again."
    heading "Installing ${missing[*]}"
    install "${missing[@]}" ||
        die 69 "Could not install ${missing[*]}: see above." "$(advice "${missing[@]}")" "Then run $0 again."
}

# Checks for the files of a package, not for the package, so that other systems and manual installations count too.
is_installed() {
    case $1 in
    libsqlite3-dev) [[ -e /usr/include/sqlite3.h ]] || pkg-config --exists sqlite3 ;;
    zlib1g-dev) [[ -e /usr/include/zlib.h ]] || pkg-config --exists zlib ;;
    ca-certificates) [[ -e /etc/ssl/certs/ca-certificates.crt ]] ;;
    iproute2) command -v ip ;;
    libpq5) [[ $(ldconfig -p) == *'libpq.so.5 '* ]] ;;
    tzdata) [[ -e /usr/share/zoneinfo/UTC ]] ;;
    python3-venv) python3 -c 'import ensurepip, venv' ;;
    fonts-noto-core) [[ -e /usr/share/fonts/truetype/noto/NotoSans-Regular.ttf ]] ;;
    fonts-noto-color-emoji) [[ -e /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf ]] ;;
    nginx-light) command -v nginx ;;
    libvips-tools) command -v vipsthumbnail ;;
    systemd-container) command -v systemd-nspawn ;;
    binutils) command -v strip ;;
    node-typescript) command -v tsc ;;
    postgresql) compgen -G '/usr/lib/postgresql/*/bin/postgres' ;;
    supervisor) command -v supervisord && command -v supervisorctl ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# Updates the package lists first: a fresh machine has none.
install() {
    as_root apt-get update -qq >&2 || return
    # The tests start servers of their own; Debian would create one that runs from now on.
    if [[ " $* " == *" postgresql "* && ! -e /etc/postgresql-common/createcluster.conf ]]; then
        as_root mkdir -p /etc/postgresql-common
        as_root tee /etc/postgresql-common/createcluster.conf <<<'create_main_cluster = false' >/dev/null
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

can_install() { command -v apt-get >/dev/null && { ((EUID == 0)) || may_sudo; }; }

# sudo may ask for a password only on a terminal.
may_sudo() { command -v sudo >/dev/null && { [[ -t 0 && -t 2 ]] || sudo -n true 2>/dev/null; }; }

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

# advice PACKAGE…: prints the command for an administrator.
advice() {
    if command -v apt-get >/dev/null; then
        echo "As an administrator: apt-get install $*"
    else
        echo "These are Debian's names. Install the corresponding packages of your system."
    fi
}
