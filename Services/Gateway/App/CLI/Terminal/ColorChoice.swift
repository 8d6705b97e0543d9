/// The values of `--color`.
enum ColorChoice: String, Sendable, CaseIterable {
    case auto
    case always
    case never

    /// The option outweighs the environment. Of the environment, `NO_COLOR` (no-color.org) outweighs the variables that
    /// force colours into a pipe, and these outweigh what the stream is capable of.
    func isOn(capable: Bool, environment: [String: String]) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: Self.isWanted(capable: capable, environment: environment)
        }
    }

    private static func isWanted(capable: Bool, environment: [String: String]) -> Bool {
        if let refusal = environment["NO_COLOR"], !refusal.isEmpty { return false }
        if ["CLICOLOR_FORCE", "FORCE_COLOR"].contains(where: { isSet(environment[$0]) }) { return true }
        return capable && environment["CLICOLOR"] != "0"
    }

    private static func isSet(_ value: String?) -> Bool {
        !["", "0", "false"].contains(value ?? "")
    }
}
