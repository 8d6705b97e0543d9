# shellcheck shell=bash
# How the scripts of this folder speak. Sourced, not run. Words go to standard error: standard output is the programs'.

# Colours are for people: on a terminal only, and not for those who want none (https://no-color.org).
if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' red=$'\e[31m' yellow=$'\e[33m' plain=$'\e[0m'
else
    bold='' red='' yellow='' plain=''
fi

heading() { printf '%s==> %s%s\n' "$bold" "$*" "$plain" >&2; }
note() { printf '    %s\n' "$*" >&2; }
warn() { printf '%swarning:%s %s\n' "$yellow" "$plain" "$*" >&2; }

# die EXIT_CODE MESSAGE [MORE…]: the first line says what is wrong, each further one what to do about it.
die() {
    local code=$1 line
    printf '%serror:%s %s\n' "$red" "$plain" "$2" >&2
    shift 2
    for line; do printf '       %s\n' "$line" >&2; done
    exit "$code"
}

# wrong_usage MESSAGE: for arguments that make no sense, with sysexits' EX_USAGE.
wrong_usage() { die 64 "$1" "See $0 --help"; }
