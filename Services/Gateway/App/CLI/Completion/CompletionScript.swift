import ArgumentParser

/// What makes a shell complete the words of `gateway`: the script of the parser, and what that leaves out.
enum CompletionScript {
    /// The command as a shell sees it: options may precede the subcommand (`LeadingOptions`).
    private struct Command: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gateway", subcommands: GatewayCommand.configuration.subcommands)

        @OptionGroup var client: ClientOptions
    }

    static let bash =
        script(.bash).replacing(
            "_gateway_help() {\n",
            with: "_gateway_help() {\n    COMPREPLY+=($(compgen -W '\(commands)' -- \"${cur}\"))\n")
            + """

            # After the key of a parameter its value follows: no space, and no quoting as in the name of a file.
            _gateway_with_keys() {
                _gateway "$@"
                if [[ ${COMPREPLY[0]-} == *[=.] ]]; then compopt -o nospace +o filenames; fi
            }
            complete -o filenames -F _gateway_with_keys gateway

            """

    /// The last statement runs the functions, so that a replaced one stands before it.
    static let zsh = script(.zsh).replacing("'*:subcommands:'", with: "'*:subcommands:(\(commands))'")
        .replacing(
            "\nif [[ \"${funcstack[1]}\"",
            with: """

                # After the key of a parameter its value follows: no space.
                __gateway_complete() {
                    local -ar keys=("${(M)@:#[^:]#=(|:*)}")
                    local -ar others=("${@:#[^:]#=(|:*)}")
                    _describe -V '' others -- keys -S ''
                }

                if [[ "${funcstack[1]}"
                """)

    static let fish =
        script(.fish) + """

            complete -c 'gateway' -n '__gateway_should_offer_completions_for_positional "gateway help" -ge 1' -fka '\(commands)'

            """

    private static func script(_ shell: CompletionShell) -> String { Command.completionScript(for: shell) }

    private static var commands: String {
        GatewayCommand.configuration.subcommands.map { $0.configuration }.filter(\.shouldDisplay)
            .compactMap(\.commandName).joined(separator: " ")
    }
}
