import EdgeModel
import Foundation

/// An upstream's whole answer about one image, as it is cached.
public struct CachedComments: Equatable, Sendable {
    public let imageID: UUID

    /// In the upstream's order.
    public let comments: [ImageComment]

    /// When the answer was generated, in whole seconds: the time of receipt less its `Age`.
    public let savedAt: Date

    public let validators: AnswerValidators

    public init(
        imageID: UUID, comments: [ImageComment], savedAt: Date, validators: AnswerValidators = AnswerValidators()
    ) {
        self.imageID = imageID
        self.comments = comments
        self.savedAt = savedAt
        self.validators = validators
    }
}

/// The comments of a cached answer at a cursor.
public struct CachedSlice: Equatable, Sendable {
    public let slice: CommentsSlice

    /// The `savedAt` of the answer.
    public let savedAt: Date

    public init(slice: CommentsSlice, savedAt: Date) {
        self.slice = slice
        self.savedAt = savedAt
    }
}
