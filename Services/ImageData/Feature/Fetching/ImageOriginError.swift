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

    /// Whether a retry may succeed soon, so that expired bytes may be served instead.
    public var isConnectivity: Bool {
        switch self {
        case .unreachable: true
        // The server or a proxy before it has failed; that says nothing about the image.
        case .rejected(.status(let status)): status >= 500 || status == 429
        case .forbidden, .malformed, .tooLarge, .rejected: false
        }
    }
}
