# shellcheck shell=bash
# Runs the programs of a deployment under supervisord. Sourced, not run; needs deployment.sh. systemd.sh has the same functions.

: "${here:?}" "${root:?}" "${with_new_store:?}"

# supervise PROGRAM…: starts everything that does not run, and restarts these programs. A change of supervisord's settings restarts all.
supervise() {
    local pids reason=''
    read -r -a pids <<<"$(processes)"
    if ((${#pids[@]})); then
        if ! supervisord_pid >/dev/null; then
            reason="supervisord does not answer"
        elif $with_new_store; then
            reason="--new-store"
        elif has_new_settings; then
            reason="the supervisor's settings have changed"
        fi
        if [[ -n $reason ]]; then
            note "$reason: restarting everything"
            stop_deployment
            pids=()
        fi
    fi
    ! has_new_settings || replace "$here/supervisord.conf" "$root/supervisord.conf"
    if ((${#pids[@]})); then
        restart "$@"
        return
    fi
    heading "Starting $root"
    ! $with_new_store || make_new_stores
    env -u ROOT -u HTTP_PORT supervisord -c "$root/supervisord.conf" 9>&- ||
        die 69 "supervisord does not start: see above and $root/log/supervisord.log"
    # The request wakes supervisord, which otherwise waits for a second before it starts the programs.
    supervisord_pid >/dev/null || true
}

has_new_settings() { ! is_old && ! cmp -s "$here/supervisord.conf" "$root/supervisord.conf"; }

# Whether the port of the gateway may be this deployment's.
is_supervised() { [[ -n $(processes gateway) ]]; }

# `start all` does not affect running programs, and restarts those that supervisord does not start again.
restart() {
    local waiting
    (($# == 0)) || ctl stop "$@" >/dev/null || true
    # `start` leaves a program alone that waits for its next start.
    waiting=$(programs_in BACKOFF)
    # shellcheck disable=SC2086 # one program a word
    [[ -z $waiting ]] || ctl stop $waiting >/dev/null || true
    ctl start all >/dev/null || true # A program that does not start is reported later, with its log.
}

# programs_in STATES: prints the programs in these states of supervisord. `ctl status` fails when a program does not run.
programs_in() { { ctl status || true; } | awk -v states="^($1)\$" '$2 ~ states { print $1 }'; }

# failed_programs [repeatedly]: prints the programs that are not started again; with the word also those that exit again and again.
failed_programs() { programs_in "STOPPED|STOPPING|EXITED|FATAL|UNKNOWN${1:+|BACKOFF}"; }

show_log() {
    heading "The end of $root/log/$1.log"
    tail -n 10 "$root/log/$1.log" >&2 || true
}

log_place() { echo "in $root/log"; }
