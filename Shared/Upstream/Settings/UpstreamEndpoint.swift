/// A host and a port: `origin.example:8080`, `127.0.0.1:8080`, `[::1]:8080`.
public struct UpstreamEndpoint: Hashable, Sendable, CustomStringConvertible {
    let host: Host
    let port: Int

    init(host: Host, port: Int) {
        self.host = host
        self.port = port
    }

    /// - Throws: `UpstreamOptionError`.
    public init(_ text: String) throws(UpstreamOptionError) {
        let (host, port) = HTTPURL.split(text[...])
        do throws(UpstreamError) {
            guard let port = try HTTPURL.port(port, of: host) else {
                throw UpstreamError.refused(.port("\(host)"))
            }
            self.init(host: try Host(host), port: port)
        } catch {
            throw UpstreamOptionError("\"\(text)\" is not HOST:PORT, as in 127.0.0.1:8080: \(error)")
        }
    }

    /// The host and port of a URL, such as the value of `--upstream`.
    /// - Throws: `UpstreamOptionError`.
    public init(url: String) throws(UpstreamOptionError) {
        do throws(UpstreamError) {
            self = try HTTPURL(url, limit: UpstreamLimits.defaultURLBytes).origin.endpoint
        } catch {
            throw UpstreamOptionError("\"\(url)\": \(error)")
        }
    }

    /// The syntax of the option.
    public var description: String { "\(host):\(port)" }
}
