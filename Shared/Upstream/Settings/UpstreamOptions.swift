import ArgumentParser

/// Where a service fetches from, and what it may reach: the options that services with an upstream share.
public struct UpstreamOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("upstream"),
        help: ArgumentHelp(
            "The HTTP API to serve from, whose answers are kept for when it is away.",
            discussion: "Without it the service is the authority itself.", valueName: "url"))
    public var url: String?

    @Option(
        name: .customLong("allow-private-upstream"),
        help: ArgumentHelp(
            "A host and port that may be asked wherever it is; repeatable.",
            discussion: "Else only --upstream itself and public addresses are.", valueName: "host:port"))
    var privateEndpoints: [String] = []

    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            "A public key with which a host must prove itself; repeatable.", valueName: "host=sha256/base64"))
    var pins: [String] = []

    public init() {}

    public func validate() throws { _ = try settings() }

    /// What the client is made with.
    /// - Throws: for what is none of what it should be; `validate` has found out before.
    public func settings() throws -> UpstreamSettings {
        var settings = UpstreamSettings()
        var option = "--upstream"
        do throws(UpstreamOptionError) {
            if let url { settings.trusted.insert(try UpstreamEndpoint(url: url)) }
            option = "--allow-private-upstream"
            for text in privateEndpoints { settings.trusted.insert(try UpstreamEndpoint(text)) }
            option = "--pin"
            for text in pins { settings.pins.insert(try CertificatePin(text)) }
        } catch {
            throw ValidationError("\(option): \(error)")
        }
        return settings
    }
}
