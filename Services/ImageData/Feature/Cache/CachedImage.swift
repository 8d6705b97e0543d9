/// Bytes from an origin server, with their validators.
public struct CachedImage: Equatable, Sendable {
    public let image: StoredImage
    public let validators: Validators

    public init(_ image: StoredImage, validators: Validators = Validators()) {
        self.image = image
        self.validators = validators
    }
}

/// The metadata of bytes from an origin server, without the bytes.
public struct CachedRecord: Equatable, Sendable {
    public let record: ImageRecord
    public let validators: Validators

    public init(_ record: ImageRecord, validators: Validators) {
        self.record = record
        self.validators = validators
    }

    public init(_ image: CachedImage) { self.init(image.image.record, validators: image.validators) }
}

/// The validators of an origin server's answer (RFC 9110 §8.8).
public struct Validators: Equatable, Sendable {
    public let etag: String?
    public let lastModified: String?

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    public var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The headers of a conditional request.
    public var conditions: [(name: String, value: String)] {
        [etag.map { ("if-none-match", $0) }, lastModified.map { ("if-modified-since", $0) }].compactMap(\.self)
    }

    /// The value of `If-Range`, which ties a range to the bytes it continues (RFC 9110 §13.1.5); a weak tag cannot be
    /// used.
    public var forRange: String? {
        if let etag { return etag.hasPrefix("W/") ? nil : etag }
        return lastModified
    }
}
