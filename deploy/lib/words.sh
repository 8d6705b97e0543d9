# shellcheck shell=bash
# Functions that print messages. Sourced, not run. Messages go to standard error; standard output is for results.

# Colours only on a terminal, and not if the user has disabled them (https://no-color.org).
if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' red=$'\e[31m' yellow=$'\e[33m' plain=$'\e[0m'
else
    bold='' red='' yellow='' plain=''
fi

# A terminal that is gone does not end a script.
# shellcheck disable=SC2059 # its first argument is the format
say() { printf "$@" >&2 || true; }

heading() { say '%s==> %s%s\n' "$bold" "$*" "$plain"; }
note() { say '    %s\n' "$*"; }
# warn MESSAGE [MORE…]
warn() {
    local line
    say '%swarning:%s %s\n' "$yellow" "$plain" "$1"
    for line in "${@:2}"; do say '         %s\n' "$line"; done
}

# die EXIT_CODE MESSAGE [MORE…]: the first line names the error, further lines the remedy.
die() {
    local code=$1 line
    say '%serror:%s %s\n' "$red" "$plain" "$2"
    shift 2
    for line; do say '       %s\n' "$line"; done
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
