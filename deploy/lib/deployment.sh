# shellcheck shell=bash
# One deployment: the directory ROOT and the processes of its programs. Sourced, not run; needs words.sh and $here, the
# parent of this folder.

: "${here:?}"

# The default of all programs, apart from $ROOT (ServiceKit/Root.swift).
standard_root() {
    local data=${XDG_DATA_HOME:-}
    [[ $data == /* ]] || data=$HOME/.local/share
    echo "$data/image-feed"
}

root=${ROOT:-$(standard_root)}

# The programs by the supervisor's names, in the order in which they start.
services=(feed comments image-data)
# shellcheck disable=SC2034 # used by other files
programs=("${services[@]}" gateway)

# Whether deploy/up created ROOT. ROOT/run may have been deleted.
is_deployment() { [[ -d $root/run || -e $root/supervisord.conf || -e $root/systemd ]]; }

# How long supervisord may take to execute a command, and to answer whether it runs, in seconds. Stopping a program takes up to
# 15.
command_limit=120
answer_limit=10

ctl() { timeout "$command_limit" supervisorctl -c "$root/supervisord.conf" "$@"; }

# Prints the process id of ROOT's supervisord; fails when none answers on the socket. (A pid file may be stale.)
supervisord_pid() {
    local pid
    [[ -S $root/run/supervisord.sock ]] && pid=$(command_limit=$answer_limit ctl pid 2>/dev/null) &&
        [[ $pid =~ ^[0-9]+$ ]] && echo "$pid"
}

# Takes the lock of a deployment, so that only one script changes it at a time. The lock is released when the script exits,
# because its children close the descriptor (`9>&-`).
lock_deployment() {
    command -v flock >/dev/null || return 0
    exec 9<"$root" || die 77 "Cannot read $root: see above."
    flock -n 9 || { note "waiting for another deploy/up or deploy/down on $root"; flock 9; }
}

# processes [NAME…]: prints the ids of ROOT's processes in one line, all or only those with these names. Processes of another container
# may have the same words, but see another directory at that path.
processes() {
    local files file process name words
    # The kernel keeps 15 characters of a program's name.
    mapfile -t files < <(grep -lsxE 'supervisord|gateway|[a-z-]+-service|comments-servic|image-data-serv' /proc/[0-9]*/comm)
    for file in "${files[@]}"; do
        process=${file%/comm}
        # It may have ended.
        if ! { read -r name <"$file" && mapfile -d '' -t words <"$process/cmdline"; } 2>/dev/null; then continue; fi
        serves_root "$process" "$name" "${words[@]}" || continue
        [[ ! -e $root || $process/root/$root -ef $root ]] || continue
        case $name in
        comments-servic) name=comments ;;
        image-data-serv) name=image-data ;;
        esac
        if (($# == 0)) || [[ " $* " == *" ${name%-service} "* ]]; then printf '%s ' "${process#/proc/}"; fi
    done
}

# has_word WORD WORD…: whether the first one is among the others.
has_word() {
    local word
    for word in "${@:2}"; do [[ $word != "$1" ]] || return 0; done
    return 1
}

# serves_root PROCESS NAME WORD…: whether a process serves ROOT, by its command line or, for plugins, by its environment.
serves_root() {
    local process=$1 name=$2 word before=''
    shift 2
    case $name in
    supervisord) has_word "$root/supervisord.conf" "$@" && return ;;
    # Its other commands are clients.
    gateway) has_word serve "$@" || return ;;
    esac
    for word; do
        case $word in --root=*) [[ $word == "--root=$root" ]] && return ;; esac
        if [[ $before == --root ]]; then [[ $word == "$root" ]] && return; fi
        before=$word
    done
    # The programs of plugins have the root in their environment.
    [[ $name == *-service ]] && ! has_word --root "$@" && grep -qszxF -- "ROOT=$root" "$process/environ"
}

# Stops all programs of ROOT and waits until they have exited. On SIGTERM, supervisord stops the programs one after the other;
# each may drain for stopwaitsecs (15). The second step stops programs whose supervisord was killed.
stop_deployment() {
    stop 75 supervisord
    stop 15
}

# stop SECONDS [NAME…]: sends SIGTERM to these processes of ROOT, and SIGKILL after the time. SIGCONT, because a stopped process
# does not handle SIGTERM.
stop() {
    local pids
    read -r -a pids <<<"$(processes "${@:2}")"
    ((${#pids[@]})) || return 0
    kill -TERM "${pids[@]}" 2>/dev/null || true
    kill -CONT "${pids[@]}" 2>/dev/null || true
    if ! await_end "$1" "${pids[@]}"; then
        # By now another process may have one of the numbers.
        read -r -a pids <<<"$(processes "${@:2}")"
        ((${#pids[@]})) || return 0
        kill -KILL "${pids[@]}" 2>/dev/null || true
        await_end 5 "${pids[@]}" || die 75 "These processes of $root do not exit: ${pids[*]}"
    fi
}

# await_end SECONDS PID…: returns whether all of them exited in time.
await_end() {
    local deadline=$((SECONDS + $1)) pid
    shift
    for pid; do
        while is_running "$pid"; do
            ((SECONDS < deadline)) || return 1
            sleep 0.1
        done
    done
}

# Whether a process runs. A zombie (Z), whose parent has not waited for it, does not.
is_running() {
    kill -0 "$1" 2>/dev/null && ! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"
}

# --- user ------------------------------------------------------------------------------------------------------------

# become USER SCRIPT ARGUMENT…: replaces this process by a script of this folder, run as another user. So root never writes into
# a directory of that user, where a symbolic link could redirect the write. Of root's environment it gets only what a script or a
# program reads.
become() {
    local home variable kept=()
    home=$(getent passwd "$1" | cut -d : -f 6)
    as_user "$1" test -r "$here/lib/deployment.sh" || die_unreadable "$1 cannot read $here."
    for variable in PATH SHELL TERM NO_COLOR LANG LC_ALL LC_CTYPE TZ HTTP_PORT IMAGE_FEED_TOKEN; do
        [[ -z ${!variable:-} ]] || kept+=("$variable=${!variable}")
    done
    exec env -i "${kept[@]}" HOME="$home" USER="$1" LOGNAME="$1" \
        setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups --inh-caps=-all -- "$here/$2" "${@:3}"
}

# as_user USER COMMAND…
as_user() { setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups --inh-caps=-all -- "${@:2}"; }

# owned COMMAND…: runs it as the owner of ROOT: root never runs a program of another user.
owned() { (become_owned "$@"); }

# become_owned COMMAND…: as `owned`, in place of this process.
become_owned() {
    local user
    user=$(owner)
    if ((EUID > 0)) || [[ $user == root ]]; then exec "$@"; fi
    exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups --inh-caps=-all -- "$@"
}

die_unreadable() { die 77 "User $1" "Move the project to a directory that every user can read, for example below /opt."; }

# Prints the owner of ROOT; empty when there is no ROOT.
owner() { stat -c %U "$root" 2>/dev/null || true; }
