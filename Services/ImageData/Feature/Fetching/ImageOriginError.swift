/// The reason why an origin server gave no image.
public enum ImageOriginError: Error, Equatable, Sendable {
    /// The server could not be reached, did not answer in time, or repeatedly interrupted the connection.
    case unreachable(String)

    /// The server's address must not be requested.
    case forbidden(String)

    /// The answer violates HTTP.
    case malformed(String)

    /// The answer exceeds the maximum size of an image.
    case tooLarge(limit: Int)

    /// The answer is not an image.
    case rejected(ImageDataRejection)

    /// Whether the server has no such image any more.
    public var isGone: Bool {
        switch self {
        case .rejected(.status(let status)): status == 404 || status == 410
        case .unreachable, .forbidden, .malformed, .tooLarge, .rejected: false
        }
    }

    /// Whether expired bytes may be served instead: unless the image is gone, or its address refused. A bot check, a captive portal or a
    /// broken proxy says nothing about the image.
    public var leavesExpiredBytes: Bool {
        if case .forbidden = self { return false }
        return !isGone
    }

    /// Whether a retry may succeed soon.
    public var isConnectivity: Bool {
        switch self {
        case .unreachable: true
        // The server or a proxy before it has failed; that says nothing about the image.
        case .rejected(.status(let status)): status >= 500 || status == 429
        case .forbidden, .malformed, .tooLarge, .rejected: false
        }
    }
}
