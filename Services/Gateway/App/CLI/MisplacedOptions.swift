/// Recognises options before the subcommand, as in `gateway --root DIR feed`.
enum MisplacedOptions {
    /// The same arguments with the subcommand first; nil unless the arguments begin with an option of a subcommand.
    static func corrected(_ arguments: [String]) -> [String]? {
        guard arguments.first?.hasPrefix("-") == true else { return nil }
        let names = GatewayCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        // An option's value may be equal to the name of a subcommand. So each candidate is tried, the last one first,
        // until the command line accepts the arguments.
        for (place, argument) in arguments.enumerated().reversed() where names.contains(argument) {
            var corrected = arguments
            corrected.remove(at: place)
            corrected.insert(argument, at: 0)
            if (try? GatewayCommand.parseAsRoot(corrected)) != nil { return corrected }
        }
        return nil
    }
}
