
# After the key of a parameter its value follows: no space, and no quoting as in the name of a file.
_gateway_with_keys() {
    _gateway "$@"
    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace +o filenames; fi
}
complete -o filenames -F _gateway_with_keys gateway
