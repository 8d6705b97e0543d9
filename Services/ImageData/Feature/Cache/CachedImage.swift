import EdgeModel

/// Bytes from an origin server, with their validators.
public struct CachedImage: Equatable, Sendable {
    public let image: StoredImage
    public let validators: AnswerValidators

    public init(_ image: StoredImage, validators: AnswerValidators = AnswerValidators()) {
        self.image = image
        self.validators = validators
    }
}

/// The metadata of bytes from an origin server, without the bytes.
public struct CachedRecord: Equatable, Sendable {
    public let record: ImageRecord
    public let validators: AnswerValidators

    public init(_ record: ImageRecord, validators: AnswerValidators) {
        self.record = record
        self.validators = validators
    }

    public init(_ image: CachedImage) { self.init(image.image.record, validators: image.validators) }
}
