/// Why an origin gave no picture.
public enum ImageOriginError: Error, Equatable, Sendable {
    /// It was not reached, or not in time, or was cut off again and again.
    case unreachable(String)

    /// Its address may not be asked.
    case forbidden(String)

    /// What it has answered breaks the rules of HTTP.
    case malformed(String)

    /// More bytes than an image may have.
    case tooLarge(limit: Int)

    /// What it has sent is no picture.
    case rejected(ImageDataRejection)

    /// Whether to try again soon is worth it, and bytes that are too old are better than none.
    public var isConnectivity: Bool {
        switch self {
        case .unreachable: true
        // The origin, or what stands before it, is in trouble: that says nothing about the picture.
        case .rejected(.status(let status)): status >= 500 || status == 429
        case .forbidden, .malformed, .tooLarge, .rejected: false
        }
    }
}
