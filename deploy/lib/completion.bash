
# Options may stand before the subcommand, which the generated function does not know: it gets the same words in another order.
_gateway_reordered() {
    local -ir cursor=$COMP_CWORD
    local -i command=1
    while ((command < cursor)); do
        case ${COMP_WORDS[command]} in
        --root | --socket | --timeout | --locale | --color) command+=2 ;;
        --json | --verbose | -v | --pager | --no-pager) command+=1 ;;
        *) break ;;
        esac
    done
    # "help" is followed by the name of a command.
    if [[ $cursor -eq 2 && ${COMP_WORDS[1]} == help ]]; then command=2; fi
    local -ar leading=("${COMP_WORDS[@]:1:command - 1}")
    local -a words=("${COMP_WORDS[@]}")
    local -i index=$cursor
    if ((command > cursor)) || [[ $command -eq $cursor && $2 == -* && $cursor -gt 1 ]]; then
        # An option or its value: the same as those of any command that calls the gateway.
        words=(gateway feed "${COMP_WORDS[@]:1}")
        index+=1
    elif ((command == cursor)); then
        words=(gateway "${COMP_WORDS[@]:command}")
        index=1
    elif ((command > 1)); then
        words=(gateway "${COMP_WORDS[command]}" "${leading[@]}" "${COMP_WORDS[@]:command + 1}")
    fi
    local -a COMP_WORDS=("$1" "${words[@]:1}")
    local COMP_CWORD=$index
    local -r start="${COMP_WORDS[*]:0:index}"
    local COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=$((${#start} + 1 + ${#2}))
    _gateway "$1" "$2" "${COMP_WORDS[index - 1]}"
}

# After the key of a parameter its value follows: no space, and no quoting as in the name of a file.
_gateway_with_keys() {
    _gateway_reordered "$@"
    if [[ ${COMPREPLY[0]-} == *[=.] ]]; then compopt -o nospace +o filenames; fi
}
complete -o filenames -F _gateway_with_keys gateway
