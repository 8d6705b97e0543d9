import ArgumentParser
import RPC

/// The limits of the runtime, by the names under which `rpc.hello` reports them.
public struct LimitOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            "Another value for a limit; repeatable.",
            discussion: Limits.settings.map(Self.line).joined(separator: "\n"), valueName: "name=value"))
    var settings: [String] = []

    public init() {}

    public func validate() throws { _ = try limits() }

    /// The limits with what was set.
    /// - Throws: for a name that there is not, or a value that it cannot have; says which there are.
    func limits() throws -> Limits {
        var limits = Limits()
        for text in settings {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let setting = Limits.settings.first(where: { $0.name == parts[0] }) else {
                let names = Limits.settings.map(\.name).joined(separator: ", ")
                throw ValidationError("--limit \(text): must be NAME=VALUE, where NAME is one of \(names)")
            }
            guard let value = Int(parts[1]), setting.allowed.contains(value) else {
                let (least, most) = (setting.allowed.lowerBound, setting.allowed.upperBound)
                throw ValidationError("--limit \(text): \(setting.name) must be a number from \(least) to \(most)")
            }
            limits[setting] = value
        }
        return limits
    }

    private static func line(_ setting: Limits.Setting) -> String {
        "\(setting.name) (\(Limits()[setting])): \(setting.summary)"
    }
}
