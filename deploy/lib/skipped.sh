# shellcheck shell=bash
# Collects the tests that a run has skipped. Sourced, not run; needs words.sh.

# One line for each skipped test, with the reason.
skipped_tests=$(mktemp)
trap 'rm -f "$skipped_tests"' EXIT

# note_skipped LOG: adds the skipped tests of a run of `swift test`.
note_skipped() {
    sed -nE -e 's/^[^ ]+ Test (.*) skipped: "(.*)"$/\1: \2/p' -e 's/^[^ ]+ Test (.*) skipped\.?$/\1: no reason given/p' \
        "$1" >>"$skipped_tests"
}

# Lists the skipped tests. In CI (the variable CI is set), a test that needs root must not be skipped.
report_skipped() {
    [[ -s $skipped_tests ]] || return 0
    heading "Skipped tests"
    sort -u "$skipped_tests" | sed 's/^/    /' >&2
    if [[ -n ${CI:-} ]] && grep -q 'needs root' "$skipped_tests"; then
        die 1 "Failed: CI has skipped tests that need root" "Run deploy/test as root in CI, with the programs that the reasons name."
    fi
}
