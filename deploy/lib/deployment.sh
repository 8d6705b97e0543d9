# shellcheck shell=bash
# One deployment: the directory ROOT and the supervisord that runs its programs. Sourced, not run; needs words.sh.

# The default of all programs, apart from $ROOT (ServiceKit/ServiceOptions.swift).
standard_root() {
    local data=${XDG_DATA_HOME:-}
    [[ $data == /* ]] || data=$HOME/.local/share
    echo "$data/image-feed"
}

root=${ROOT:-$(standard_root)}

# The HTTP port of the configuration in a directory; empty when there is none.
configured_port() { sed -n 's/^command=.* --http 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$1/supervisord.conf" 2>/dev/null || true; }

# Where this deployment's gateway speaks HTTP. With port 0, or when its own options say it, it says so when it starts.
http_url() {
    local port
    port=$(configured_port "$root")
    if [[ -z $port || $port == 0 ]]; then
        sed -n 's/.* serving on //p' "$root/log/gateway.log" 2>/dev/null | tail -n 1 | sed -n 's/.* and \(http:[^ ]*\)$/\1/p'
    else
        echo "http://127.0.0.1:$port"
    fi
}

ctl() { supervisorctl -c "$root/supervisord.conf" "$@"; }

# The process id of ROOT's supervisord; fails when there is none. supervisorctl answers from the socket, so that a stale
# pid file is never believed.
supervisord_pid() {
    local pid
    [[ -S $root/run/supervisord.sock ]] && pid=$(ctl pid 2>/dev/null) && [[ $pid =~ ^[0-9]+$ ]] && echo "$pid"
}

# One script at a time may change a deployment. The lock ends with the script: what it starts gets no copy (`9>&-`).
lock_deployment() {
    command -v flock >/dev/null || return 0
    exec 9>"$root/run/deploy.lock"
    flock -n 9 || { note "waiting for another deploy/up or deploy/down on $root"; flock 9; }
}

# Stops everything of ROOT and returns when it is gone.
stop_deployment() {
    local pid
    if pid=$(supervisord_pid); then
        ctl shutdown >/dev/null
        # Programs are stopped one after the other and may drain for stopwaitsecs (15) each.
        await_end 75 "$pid" || die 75 "supervisord (process $pid) did not end." "See $root/log/supervisord.log"
    fi
    stop_leftovers
}

# When supervisord itself was killed, its programs live on and hold the sockets.
stop_leftovers() {
    local pids
    read -r -a pids <<<"$(leftovers)"
    ((${#pids[@]})) || return 0
    note "stopping what a supervisord that is gone has left: ${pids[*]}"
    kill -TERM "${pids[@]}" 2>/dev/null || true
    await_end 15 "${pids[@]}" || kill -KILL "${pids[@]}" 2>/dev/null || true
    await_end 5 "${pids[@]}" || die 75 "These processes of $root do not end: ${pids[*]}"
}

# The ids of processes that run ROOT's programs as services. Every deployment runs its own copies, so the path tells
# whose they are. (Where there is no /proc, none are found.)
leftovers() {
    local directory command
    for directory in /proc/[0-9]*; do
        read -r command < <(tr '\0' ' ' 2>/dev/null <"$directory/cmdline") || true
        case $command in
        "$root"/bin/*-service\ * | "$root"/bin/gateway\ serve\ *) printf '%s ' "${directory#/proc/}" ;;
        esac
    done
    echo
}

# await_end SECONDS PID…: whether all of them ended in time.
await_end() {
    local deadline=$((SECONDS + $1)) pid
    shift
    for pid; do
        while kill -0 "$pid" 2>/dev/null; do
            ((SECONDS < deadline)) || return 1
            sleep 0.1
        done
    done
}
