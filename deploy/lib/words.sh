# shellcheck shell=bash
# Functions that print messages. Sourced, not run. Messages go to standard error; standard output is for results.

# Colours only on a terminal, and not if the user has disabled them (https://no-color.org).
if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' red=$'\e[31m' yellow=$'\e[33m' plain=$'\e[0m'
else
    bold='' red='' yellow='' plain=''
fi

heading() { printf '%s==> %s%s\n' "$bold" "$*" "$plain" >&2; }
note() { printf '    %s\n' "$*" >&2; }
# warn MESSAGE [MORE…]
warn() {
    local line
    printf '%swarning:%s %s\n' "$yellow" "$plain" "$1" >&2
    for line in "${@:2}"; do printf '         %s\n' "$line" >&2; done
}

# die EXIT_CODE MESSAGE [MORE…]: the first line names the error, further lines the remedy.
die() {
    local code=$1 line
    printf '%serror:%s %s\n' "$red" "$plain" "$2" >&2
    shift 2
    for line; do printf '       %s\n' "$line" >&2; done
    exit "$code"
}

# wrong_usage MESSAGE: exits with EX_USAGE (sysexits.h), for wrong arguments.
wrong_usage() { die 64 "$1" "See $0 --help"; }

# wrong_argument ARGUMENT
wrong_argument() {
    case $1 in
    -*) wrong_usage "Unknown option $1." ;;
    *) wrong_usage "Unexpected argument '$1'." ;;
    esac
}
