# shellcheck shell=bash
# Runs the programs of a deployment under systemd, with the units of deploy/systemd: under the system's manager if root does it, else
# under that of the user. Sourced, not run; needs deployment.sh. supervisord.sh has the same functions.

: "${here:?}" "${root:?}" "${programs:?}"

instance=$(systemd-escape --path "$root" 2>/dev/null || true)
# A part of deploy/up runs as the owner, on behalf of root.
if ((EUID == 0)) || [[ -n ${part:-} ]]; then
    scope=--system
    unit_directory=/etc/systemd/system
else
    scope=--user
    unit_directory=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
fi

systemd() { systemctl "$scope" "$@"; }

# unit PROGRAM: the name of its service.
unit() { echo "image-feed-$1@$instance.service"; }

# Prints the names of all units but the target. A pattern would not match an instance with a backslash.
all_units() {
    local program
    # shellcheck disable=SC2154 # of deployment.sh
    for program in "${programs[@]}"; do unit "$program"; done
    echo "image-feed-http@$instance.socket"
}

has_systemd() { [[ -d /run/systemd/system ]]; }

require_systemd() {
    has_systemd || die 69 "systemd does not run this machine." "With --no-systemd, supervisord runs the programs."
    [[ $root != *[\'\$]* ]] || die 64 "For systemd, a root must not have ' or \$ in its name: $root"
    ((${#instance} <= 200)) || die 64 "The name of the root is too long for the names of systemd's units: $root"
    systemd show-environment >/dev/null 2>&1 ||
        die 69 "The systemd of user $(id -un) does not answer." "Log in as $(id -un), for example with: machinectl shell $(id -un)@"
}

# require_scope SCOPE: refuses a deployment that the other manager runs.
require_scope() {
    [[ $1 == "$scope" ]] || die 77 "The programs of $root are services of $([[ $1 == --user ]] && owner || echo the system)." \
        "Run this as $([[ $1 == --user ]] && owner || echo root)."
}

# supervise PROGRAM…: starts everything that does not run, and restarts these programs. A change of units restarts all.
supervise() {
    local pids reason='' program units=()
    read -r -a pids <<<"$(processes)"
    if [[ -n $(processes supervisord) ]]; then
        reason="systemd takes over from supervisord"
    elif ${with_new_store:?}; then
        reason="--new-store"
    fi
    is_old || write_units
    if $units_changed; then reason=${reason:-the units have changed}; fi
    if [[ -n $reason && ${#pids[@]} -gt 0 ]]; then
        note "$reason: restarting everything"
        stop_supervised
        stop_deployment
        pids=()
    fi
    if ((${#pids[@]} == 0)); then
        heading "Starting $root"
        if ${with_new_store:?}; then stop_supervised; as_owner make_new_stores; fi
    fi
    for program; do units+=("$(unit "$program")"); done
    # shellcheck disable=SC2046 # names without spaces
    systemd reset-failed $(all_units) 2>/dev/null || true
    # It waits until they serve, so that no answer of an old program is taken for one of the new program.
    ((${#units[@]} == 0)) || timeout "${readiness_limit:?}" systemctl "$scope" restart "${units[@]}" >/dev/null 2>&1 || true
    systemd enable --quiet "image-feed@$instance.target"
    for program in "${programs[@]}"; do units+=("$(unit "$program")"); done
    systemd start --no-block "image-feed@$instance.target" "${units[@]}"
    ((EUID == 0)) || [[ -e /var/lib/systemd/linger/$(id -un) ]] || loginctl enable-linger 2>/dev/null ||
        warn "the programs end when $(id -un) logs out. As root: loginctl enable-linger $(id -un)"
}

# Whether `write_units` has changed a file.
units_changed=false

# Writes the units. Drop-ins have the user and the HTTP address of this deployment. Drop-ins of other names stay.
write_units() {
    local new unit file
    # The templates are those of all deployments.
    mkdir -p "$unit_directory"
    exec 8<"$unit_directory"
    flock 8
    new=$(mktemp -d)
    make_units "$new"
    while IFS= read -r file; do
        if cmp -s "$new/$file" "$unit_directory/$file"; then continue; fi
        units_changed=true
        if ! mkdir -p "$unit_directory/${file%/*}" || ! cp "$new/$file" "$unit_directory/$file.new" ||
            ! mv "$unit_directory/$file.new" "$unit_directory/$file"; then
            rm -rf "$new" "$unit_directory/$file.new"
            die 73 "Cannot write $unit_directory/$file: see above."
        fi
    done < <(cd "$new" && find . -type f)
    while IFS= read -r unit; do
        file=$unit.d/deployment.conf
        if [[ -e $new/$file || ! -e $unit_directory/$file ]]; then continue; fi
        units_changed=true
        rm "$unit_directory/$file"
    done < <(all_units)
    rm -rf "$new"
    exec 8<&-
    if $units_changed; then systemd daemon-reload; fi
}

# make_units DIRECTORY
make_units() {
    local program listener http=image-feed-http@$instance.socket
    listener=$(http_listener)
    cp -RL "$here/systemd/." "$1"
    ((EUID == 0)) || rm "$1/image-feed-.service.d/10-system.conf"
    for program in "${programs[@]}"; do
        {
            echo '[Service]'
            ((EUID > 0)) || echo "User=$(owner)"
            if [[ $program == gateway && -n $listener ]]; then
                printf 'Sockets=%s\n[Unit]\nWants=%s\nAfter=%s\n' "$http" "$http" "$http"
            fi
        } | drop_in "$1/$(unit "$program").d"
    done
    [[ -z $listener ]] || printf '[Socket]\nListenStream=%s\n' "$listener" | drop_in "$1/$http.d"
}

drop_in() { mkdir "$1" && cat >"$1/deployment.conf"; }

# Prints the address on which systemd listens for the gateway; nothing for a name or a free port, which the gateway binds itself.
http_listener() {
    local http
    http=$(http_setting)
    [[ $http == *:0 || ! $http =~ ^([0-9.]+|\[[0-9a-fA-F:]+\]):[0-9]+$ ]] || echo "$http"
}

# Whether the port of the gateway may be this deployment's.
is_supervised() { systemd is-active --quiet "image-feed-http@$instance.socket" "$(unit gateway)"; }

# shellcheck disable=SC2046 # names without spaces
stop_supervised() { systemd stop "image-feed@$instance.target" $(all_units) 2>/dev/null || true; }

# Whether systemd starts the deployment with the machine. ROOT may have been deleted.
is_enabled() { [[ -e $unit_directory/default.target.wants/image-feed@$instance.target ]]; }

# Also at the next start of the machine.
forget_supervised() { systemd disable --quiet "image-feed@$instance.target" 2>/dev/null || true; }

# leave_systemd: stops the programs and removes the drop-ins, so that supervisord can start the programs.
leave_systemd() {
    local unit
    if has_systemd; then
        forget_supervised
        stop_supervised
        while IFS= read -r unit; do
            rm -f "$unit_directory/$unit.d/deployment.conf"
            rmdir "$unit_directory/$unit.d" 2>/dev/null || true
        done < <(all_units)
    fi
    rm -f "$root/systemd"
}

# failed_programs [repeatedly]: prints the programs that are not started again; with the word also those that exit again and again.
failed_programs() {
    local program state
    for program in "${programs[@]}"; do
        state=$(systemd show --property ActiveState,SubState "$(unit "$program")")
        if [[ $state == *=failed* || -n ${1:-} && $state == *auto-restart* ]]; then echo "$program"; fi
    done
}

show_log() {
    heading "journalctl $scope -u $(unit "$1")"
    journalctl "$scope" -u "$(unit "$1")" -n 10 -o cat --no-pager >&2 || true
}

log_place() { echo "in the journal: journalctl $scope -u '$(unit gateway)'"; }
