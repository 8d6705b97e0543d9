/// Bytes from an origin, with what asks it whether they are still those.
public struct CachedImage: Equatable, Sendable {
    public let image: StoredImage
    public let validators: Validators

    public init(_ image: StoredImage, validators: Validators = Validators()) {
        self.image = image
        self.validators = validators
    }
}

/// What is known about bytes from an origin, without the bytes.
public struct CachedRecord: Equatable, Sendable {
    public let record: ImageRecord
    public let validators: Validators

    public init(_ record: ImageRecord, validators: Validators) {
        self.record = record
        self.validators = validators
    }

    public init(_ image: CachedImage) { self.init(image.image.record, validators: image.validators) }
}

/// What an origin has said about a version of its bytes.
public struct Validators: Equatable, Sendable {
    public let etag: String?
    public let lastModified: String?

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    public var isEmpty: Bool { etag == nil && lastModified == nil }

    /// Asks the origin to say only whether something has changed.
    public var conditions: [(name: String, value: String)] {
        [etag.map { ("if-none-match", $0) }, lastModified.map { ("if-modified-since", $0) }].compactMap(\.self)
    }

    /// What ties a range to the bytes it continues (RFC 9110 §13.1.5): a weak tag does not.
    public var forRange: String? {
        if let etag { return etag.hasPrefix("W/") ? nil : etag }
        return lastModified
    }
}
