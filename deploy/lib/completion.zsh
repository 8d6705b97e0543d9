
# After the key of a parameter its value follows: no space.
__gateway_complete() {
    local -ar keys=("${(M)@:#[^:]#=(|:*)}")
    local -ar others=("${@:#[^:]#=(|:*)}")
    _describe -V '' others -- keys -S ''
}

# Options may stand before the subcommand, which the generated function does not know: it gets the same words in another order.
functions[_gateway_generated]=$functions[_gateway]
_gateway() {
    emulate -L zsh
    local -i command=2
    while ((command < CURRENT)); do
        case $words[command] in
        (--root|--socket|--timeout|--locale|--color) command+=2 ;;
        (--json|--verbose|-v|--pager|--no-pager) command+=1 ;;
        (*) break ;;
        esac
    done
    # "help" is followed by the name of a command.
    if [[ $CURRENT -eq 3 && $words[2] == help ]]; then command=3; fi
    local -ar leading=("${(@)words[2,command - 1]}")
    if ((command > CURRENT)) || [[ $command -eq $CURRENT && $words[CURRENT] == -* && $CURRENT -gt 2 ]]; then
        # An option or its value: the same as those of any command that calls the gateway.
        words=("$words[1]" feed "${(@)words[2,-1]}")
        ((CURRENT += 1))
    elif ((command == CURRENT)); then
        words=("$words[1]" "${(@)words[command,-1]}")
        CURRENT=2
    elif ((command > 2)); then
        words=("$words[1]" "$words[command]" "${(@)leading}" "${(@)words[command + 1,-1]}")
    fi
    _gateway_generated "$@"
}
