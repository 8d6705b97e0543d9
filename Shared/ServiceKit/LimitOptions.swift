import ArgumentParser
import RPC

/// The option that sets limits of the runtime. `rpc.hello` reports the limits under the same names.
public struct LimitOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            "Set a limit of the runtime. Repeatable.",
            discussion: Limits.settings.map(Self.line).joined(separator: "\n"), valueName: "name=value"))
    var settings: [String] = []

    public init() {}

    public func validate() throws { _ = try limits() }

    /// The default limits, changed by the options.
    /// - Throws: `ValidationError` for an unknown name, which lists the names, or for a value outside the allowed range.
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
