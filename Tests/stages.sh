# shellcheck shell=bash
# Runs the stages of deploy/test: times them, names the tests that run when nothing moves, and reports what was skipped or could not
# run. Sourced, not run; needs words.sh and needs.sh.

# How long a run of tests may print nothing before the tests that run are named, and how often that may happen in a row before the
# run is stopped.
: "${PROGRESS_SECONDS:=60}"
readonly longest_silence=15

# How many tests run at once.
tests_at_once=8

stage_files=$(mktemp -d)
# One line for each skipped test, with the reason.
skipped_tests=$stage_files/skipped
# One line for each stage: its seconds and its name.
stage_times=$stage_files/times
# One line for each stage that cannot run: its name and what it needs.
not_run=$stage_files/not-run
touch "$skipped_tests" "$stage_times" "$not_run"

# The process groups of the commands that run beside this script, by stage.
declare -A jobs=()

end_stages() {
    local job
    for job in "${jobs[@]}"; do kill -- "-$job" 2>/dev/null || true; done
    rm -rf "$stage_files"
}
trap end_stages EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# failed STAGE CODE COMMAND…: ends the script.
failed() {
    die "$2" "Failed: $1" "Alone: IMAGE_FEED_STRICT=1 ${IMAGE_FEED_ONLY:+IMAGE_FEED_ONLY=$IMAGE_FEED_ONLY }$(printf '%q ' "${@:3}")"
}

# timed STAGE COMMAND…: returns the code of the command.
timed() {
    local begin=$SECONDS code=0
    "${@:2}" || code=$?
    printf '%6d  %s\n' $((SECONDS - begin)) "$1" >>"$stage_times"
    return "$code"
}

# check STAGE COMMAND…
check() {
    local code=0
    heading "$1"
    timed "$@" || code=$?
    ((code == 0)) || failed "$1" "$code" "${@:2}"
}

# begin STAGE COMMAND…: runs the command beside the next stages, until `finish STAGE`.
begin() {
    heading "$1, beside the next stages"
    # In a process group of its own, so that it can be ended with its children.
    set -m
    timed "$@" >"$stage_files/$1.log" 2>&1 </dev/null &
    jobs[$1]=$!
    set +m
}

# finish STAGE: waits for a command, prints its output, and fails if it has failed.
finish() {
    local code=0
    wait "${jobs[$1]}" || code=$?
    unset "jobs[$1]"
    heading "$1"
    cat "$stage_files/$1.log"
    ((code == 0)) || die "$code" "Failed: $1"
}

# check_tests STAGE COMMAND…: the command is `swift test`, or what it runs. Prints the failures again at the end.
check_tests() {
    local code=0 log=$stage_files/tests.log
    heading "$1"
    timed "$1" run_tests "$log" "${@:2}" \
        --parallel --experimental-maximum-parallelization-width "$tests_at_once" || code=$?
    ((code == 0)) || grep -aE '^(✘|↳)' "$log" >&2 || true
    note_skipped "$log"
    ((code == 0)) || failed "$1" "$code" "${@:2}"
}

# run_tests LOG COMMAND…: the output goes to standard output and to LOG.
run_tests() {
    local code=0 pipe=$stage_files/pipe
    rm -f "$pipe"
    mkfifo "$pipe"
    set -m
    "${@:2}" >"$pipe" 2>&1 </dev/null &
    jobs[tests]=$!
    set +m
    # The runner of Swift Testing colours its output in a pipe, too. Bash would take minutes to do this to a line of 100 KB.
    watch_tests "$1" < <(sed -u $'s/\e\\[[0-9;]*m//g' "$pipe") || kill -KILL -- "-${jobs[tests]}"
    wait "${jobs[tests]}" || code=$?
    unset "jobs[tests]"
    return "$code"
}

# watch_tests LOG: copies lines from standard input to standard output and to LOG until they end. Names the running tests whenever no
# line has come for PROGRESS_SECONDS. Returns 1 after `longest_silence` of these times.
watch_tests() {
    local line part='' silence=0
    exec 3>"$1"
    while true; do
        if IFS= read -r -t "$PROGRESS_SECONDS" line; then
            printf '%s\n' "$part$line"
            printf '%s\n' "$part$line" >&3
            part='' silence=0
        elif (($? > 128)); then
            part+=$line
            warn "No progress for $((++silence)) × $PROGRESS_SECONDS s. These tests run:"
            running_tests "$1" >&2
            ((silence < longest_silence)) || return 1
        else
            [[ -z $part$line ]] || printf '%s\n' "$part$line" | tee -a "$1"
            return 0
        fi
    done
}

# running_tests LOG: names that occur only once have started and not ended.
running_tests() {
    sed -nE 's/^[^ ]+ Test ("[^"]*"|[^ ]+\(\))( with [0-9]+ test cases?)? (started|passed|failed|skipped).*/  \1/p' "$1" |
        sort | uniq -u
}

# note_skipped LOG: adds the skipped tests of a run of `swift test`.
note_skipped() {
    sed -nE -e 's/^[^ ]+ Test (.*) skipped: "(.*)"$/\1: \2/p' -e 's/^[^ ]+ Test (.*) skipped\.?$/\1: no reason given/p' \
        "$1" >>"$skipped_tests"
}

# provides STAGE PACKAGE…: whether the packages are there, or could be installed. If not, the stage counts as not run.
provides() {
    local missing
    # A subshell, because `require_packages` ends the shell when it cannot install.
    (require_packages "${@:2}") && return
    missing=$(for package in "${@:2}"; do is_installed "$package" || printf ' %s' "$package"; done)
    echo "$1: missing:$missing" >>"$not_run"
    return 1
}

# report_stages: lists the times, the skipped tests and what did not run. Fails if something did not run, and in CI (the variable CI is
# set) if a test that needs root was skipped.
report_stages() {
    heading "Seconds of each stage (some run at the same time)"
    cat "$stage_times" >&2
    if [[ -s $skipped_tests ]]; then
        heading "Skipped tests"
        sort -u "$skipped_tests" | sed 's/^/    /' >&2
    fi
    if [[ -n ${CI:-} ]] && grep -q 'needs root' "$skipped_tests"; then
        die 1 "Failed: CI has skipped tests that need root" "Run deploy/test as root in CI, with the programs that the reasons name."
    fi
    if [[ -s $not_run ]]; then
        heading "Not run"
        sed 's/^/    /' "$not_run" >&2
        die 69 "Everything else has passed." "Install what is missing and run $0 again."
    fi
}
