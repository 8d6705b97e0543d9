import Comments
import Foundation

/// Keeps nothing: for an edge that cannot open its store.
struct NullKeptComments: KeptCommentsStore {
    func keep(_ answer: KeptComments) -> Bool { false }

    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) -> Bool { false }

    func validators(of imageID: UUID) -> AnswerValidators? { nil }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) -> KeptSlice? { nil }

    func counts(of imageIDs: [UUID]) -> [UUID: Int] { [:] }
}
