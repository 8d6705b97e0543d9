import Foundation

/// An upstream's whole answer about one image, as it is kept for the time when the upstream does not answer.
public struct KeptComments: Equatable, Sendable {
    public let imageID: UUID

    /// In the upstream's order.
    public let comments: [ImageComment]

    /// Whole seconds; less the age that the upstream stated.
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

/// What a store has kept at a cursor.
public struct KeptSlice: Equatable, Sendable {
    public let slice: CommentsSlice

    /// That of the answer.
    public let savedAt: Date

    public init(slice: CommentsSlice, savedAt: Date) {
        self.slice = slice
        self.savedAt = savedAt
    }
}
