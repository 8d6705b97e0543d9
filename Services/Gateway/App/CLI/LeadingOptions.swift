import ArgumentParser

/// Moves options from before the subcommand to behind it: `gateway --root DIR feed` is `gateway feed --root DIR`.
enum LeadingOptions {
    /// The names of the options of every client command, and whether they have a value.
    static let known = [
        "--root": true, "--socket": true, "--timeout": true, "--locale": true, "--color": true, "--json": false,
        "--verbose": false, "-v": false, "--pager": false, "--no-pager": false,
    ]

    /// The same arguments with the subcommand first. Unchanged if another option or no subcommand follows.
    static func moved(_ arguments: [String]) -> [String] {
        var end = 0
        while end < arguments.count, let hasValue = known[name(of: arguments[end])] {
            end += hasValue && !arguments[end].contains("=") ? 2 : 1
        }
        guard end > 0, end < arguments.count, !arguments[end].hasPrefix("-") else { return arguments }
        let length = max(1, commands(in: arguments[end...], of: GatewayCommand.self))
        return Array(arguments[end..<(end + length)] + arguments[..<end] + arguments[(end + length)...])
    }

    private static func name(of argument: String) -> String { String(argument.prefix { $0 != "=" }) }

    /// How many of the first words are names of subcommands, each one of the command before it.
    private static func commands(in words: ArraySlice<String>, of parent: any ParsableCommand.Type) -> Int {
        guard let first = words.first,
            let next = parent.configuration.subcommands.first(where: { $0.configuration.commandName == first })
        else { return 0 }
        return 1 + commands(in: words.dropFirst(), of: next)
    }
}
