/// The supported image formats.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg, png, gif, webp, avif

    /// The media type the bytes are served with.
    public var contentType: String { "image/\(rawValue)" }

    /// The name for messages.
    var name: String { self == .webp ? "WebP" : rawValue.uppercased() }
}
