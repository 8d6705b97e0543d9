
# After the key of a parameter its value follows: no space.
__gateway_complete() {
    local -ar keys=("${(M)@:#[^:]#=(|:*)}")
    local -ar others=("${@:#[^:]#=(|:*)}")
    _describe -V '' others -- keys -S ''
}
