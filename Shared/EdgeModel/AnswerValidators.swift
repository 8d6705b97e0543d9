/// The validators of an upstream's answer, for conditional requests (RFC 9110, 8.8).
public struct AnswerValidators: Equatable, Sendable {
    public let etag: String?
    public let lastModified: String?

    /// The maximum size of each in bytes; a longer one is discarded.
    public static let maximumBytes = 1_024

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag.flatMap(Self.short)
        self.lastModified = lastModified.flatMap(Self.short)
    }

    /// Whether there is no validator for a conditional request.
    public var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The headers of a conditional request.
    public var conditions: [(name: String, value: String)] {
        [etag.map { ("If-None-Match", $0) }, lastModified.map { ("If-Modified-Since", $0) }].compactMap(\.self)
    }

    private static func short(_ text: String) -> String? { text.utf8.count <= maximumBytes ? text : nil }
}
