/// The values of `--color`.
enum ColorChoice: String, Sendable, CaseIterable {
    case auto
    case always
    case never

    /// Whether to use colours. The option takes precedence over the environment. In the environment, `NO_COLOR`
    /// (no-color.org) takes precedence over the variables that force colours, and these over the capabilities of the
    /// stream.
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
