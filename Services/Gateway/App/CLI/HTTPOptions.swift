import ArgumentParser
import Foundation

/// Where the gateway speaks HTTP.
struct HTTPOptions: ParsableArguments {
    @Option(
        name: .customLong("http"),
        help: ArgumentHelp(
            "Where HTTP clients connect, or off.",
            discussion: "Default: 127.0.0.1:$HTTP_PORT, else \(HTTPAddress.standard). Port 0 is any that is free.",
            valueName: "host:port"))
    var setting: HTTPSetting?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "Where readers reach the HTTP API, for the URLs of images.",
            discussion: "Default: the address of --http. Behind a proxy: the proxy's.", valueName: "url"))
    var publicURL: PublicURL?

    func validate() throws { _ = try address() }

    /// - Returns: nil when there is to be no HTTP.
    /// - Throws: when the environment names a port that cannot be one.
    func address() throws -> HTTPAddress? {
        switch setting {
        case .off: return nil
        case .on(let address): return address
        case nil:
            guard let text = ProcessInfo.processInfo.environment["HTTP_PORT"], !text.isEmpty else { return .standard }
            guard let port = HTTPAddress.port(text) else {
                throw ValidationError("HTTP_PORT must be a number from 0 to 65535, is '\(text)'")
            }
            return HTTPAddress(host: HTTPAddress.standard.host, port: port)
        }
    }
}

/// What `--http` says.
enum HTTPSetting: Equatable, ExpressibleByArgument {
    case off
    case on(HTTPAddress)

    init?(argument: String) {
        guard argument != "off" else {
            self = .off
            return
        }
        guard let address = HTTPAddress(argument) else { return nil }
        self = .on(address)
    }
}

extension PublicURL: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
