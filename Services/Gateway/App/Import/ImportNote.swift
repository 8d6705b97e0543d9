import CommentsContract
import EdgeModel
import FeedContract
import Foundation

/// What is changed in a picture's entry, so that the feed takes it and readers are not misled. It is counted, and no failure.
enum ImportNote: String, CaseIterable, Sendable {
    /// A text that is longer than the feed takes was cut.
    case cutText = "texts_cut"
    /// A date in the future was ignored.
    case futureDate = "dates_ignored"
    /// Bytes of a text that are no characters are shown as U+FFFD.
    case damagedText = "texts_damaged"
}

extension ImportEntry {
    /// The entry as the feed takes it.
    /// - Parameters:
    ///   - cuts: whether long texts are cut. The author of a manifest can shorten them, that of an archive's post cannot.
    ///   - now: the time of the import.
    func fitted(cutting cuts: Bool, now: Date) -> (entry: ImportEntry, notes: Set<ImportNote>) {
        var (entry, notes) = (self, Set<ImportNote>())
        func cut(_ text: String, to length: Int) -> String {
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard cuts, trimmed.unicodeScalars.count > length else { return text }
            notes.insert(.cutText)
            return ImportText.cut(trimmed, to: length)
        }
        func past(_ date: Date?) -> Date? {
            guard let date, date.isTooFarAhead(of: now) else { return date }
            notes.insert(.futureDate)
            return nil
        }
        entry.description = description.map { cut($0, to: FeedItem.maximumDescription) }
        entry.location = location.map { cut($0, to: FeedItem.maximumLocation) }
        entry.details = PictureDetails(
            alt: details.alt.map { cut($0, to: PictureDetails.maximumAlt) },
            credit: details.credit.map { cut($0, to: PictureDetails.maximumCredit) }, license: details.license,
            source: details.source, isSensitive: details.isSensitive)
        entry.publishedAt = past(publishedAt)
        entry.comments = comments.map { comment in
            Comment(
                id: comment.id, username: cut(comment.username, to: PostComment.usernameLength.upperBound),
                message: cut(comment.message, to: PostComment.messageLength.upperBound),
                createdAt: past(comment.createdAt), refusal: comment.refusal)
        }
        let texts = [description, location].compactMap(\.self) + details.texts + comments.map(\.message)
        if texts.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) { notes.insert(.damagedText) }
        return (entry, notes)
    }
}

extension Date {
    /// Whether a date is further ahead than the difference of two clocks, or of a time that was written without its zone: it is wrong,
    /// and readers would see the newest picture for ever.
    func isTooFarAhead(of now: Date) -> Bool { timeIntervalSince(now) > FeedEntry.maximumFuture }
}
