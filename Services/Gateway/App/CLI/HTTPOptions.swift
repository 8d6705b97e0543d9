import ArgumentParser
import Foundation
import Logging
import NIOCore
import ServiceKit

/// The options of the HTTP server.
struct HTTPOptions: ParsableArguments {
    @Option(
        name: .customLong("http"),
        help: ArgumentHelp(
            "Serve HTTP on this address, or off.",
            discussion: "Default: 127.0.0.1:$HTTP_PORT, or \(HTTPAddress.standard). Port 0 selects a free port.",
            valueName: "host:port"))
    var setting: HTTPSetting?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp(
            "The URL at which clients reach the HTTP API and the page, used in links.",
            discussion:
                "Default: the address of --http; for 0.0.0.0 and [::], the host that each client has asked. Behind a "
                + "proxy, set the proxy's URL, with its path if it has one.", valueName: "url"))
    var publicURL: PublicURL?

    @Option(
        help: ArgumentHelp(
            "Accept comments over HTTP with the token in this file.",
            discussion:
                "Default: $IMAGE_FEED_TOKEN, else ROOT/http-token if it exists, else none. A token has 16 to 1024 "
                + "letters, digits and -._~+/=.",
            valueName: "path"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Answer /metrics to local clients, to all, or off.",
            discussion:
                "Local clients are on this machine and not behind a proxy that adds Forwarded, X-Forwarded-For, X-Real-IP "
                + "or Via.", valueName: "all|local|off"))
    var metrics = MetricsAccess.local

    @Option(
        help: ArgumentHelp(
            "Append a line of JSON for each HTTP request to this file; - for standard output.",
            discussion: "The lines have no values of queries. After a rotation the file is opened again.",
            valueName: "path"), completion: .file())
    var accessLog: String?

    @Option(
        help: ArgumentHelp(
            "Log each request whose answer begins later than this, with its calls.",
            discussion: "Default: 1.", valueName: "seconds"))
    var slowRequest: Double?

    /// In seconds.
    static let slowRequests = 0.001...3_600

    func validate() throws {
        _ = try address()
        if let slowRequest, !Self.slowRequests.contains(slowRequest) {
            throw ValidationError("--slow-request is \(slowRequest); it must be a number of seconds from 0.001 to 3600")
        }
    }

    /// - Throws: an error when the access log cannot be opened.
    func log(_ process: ServiceProcess) throws -> RequestLog {
        let slowTime = slowRequest.map { TimeAmount.nanoseconds(Int64($0 * 1_000_000_000)) }
        return RequestLog(
            process.logger, process.failures, slowTime: slowTime ?? RequestLog.defaultSlowTime,
            access: try accessLog.map { try AccessLog($0, process.logger) })
    }

    /// - Throws: an error for an invalid token, or a file that cannot be read.
    func writeAccess(root: Root, logger: Logger) throws -> WriteAccess {
        if tokenFile == nil, let text = ProcessInfo.processInfo.environment["IMAGE_FEED_TOKEN"], !text.isEmpty {
            guard let token = WriteToken(text) else { throw Self.invalidToken("IMAGE_FEED_TOKEN") }
            return WriteAccess(token: token, deployment: root.path)
        }
        let path = tokenFile ?? root.path + "/http-token"
        return WriteAccess(token: try token(in: path), file: path, deployment: root.path, logger: logger)
    }

    /// - Returns: nil if there is no file.
    private func token(in path: String) throws -> WriteToken? {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch let error as CocoaError where tokenFile == nil && error.code == .fileReadNoSuchFile {
            return nil
        } catch {
            throw ValidationError("Cannot read token file \(path). Check that it exists and is readable.")
        }
        guard let token = WriteToken(text) else { throw Self.invalidToken("The token in \(path)") }
        return token
    }

    private static func invalidToken(_ what: String) -> ValidationError {
        ValidationError("\(what) must have \(WriteToken.description)")
    }

    /// - Returns: nil when HTTP is off.
    /// - Throws: an error when `HTTP_PORT` is invalid.
    func address() throws -> HTTPAddress? {
        switch setting {
        case .off: return nil
        case .on(let address): return address
        case nil:
            guard let text = ProcessInfo.processInfo.environment["HTTP_PORT"], !text.isEmpty else { return .standard }
            guard let port = HTTPAddress.port(text) else {
                throw ValidationError("HTTP_PORT is '\(text)'; it must be a number from 0 to 65535")
            }
            return HTTPAddress(host: HTTPAddress.standard.host, port: port)
        }
    }
}

/// The value of `--http`.
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

extension MetricsAccess: ExpressibleByArgument {}

extension PublicURL: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
