/// The formats that are kept and served.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg, png, gif, webp, avif

    /// The media type the bytes are served with.
    public var contentType: String { "image/\(rawValue)" }

    /// As people write it.
    var name: String { self == .webp ? "WebP" : rawValue.uppercased() }
}
