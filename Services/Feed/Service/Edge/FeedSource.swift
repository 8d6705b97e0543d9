import Feed
import Foundation

/// Asks the upstream for a page: the effect and the mapping of it. Any upstream is one, however it pages.
/// - Parameter known: what it has answered to the same before.
/// - Throws: `FeedSourceError`, `CancellationError`, or what the effect throws.
typealias FeedSource = @Sendable (_ limit: Int, _ cursor: FeedCursor, _ known: KnownAnswer?) async throws -> SourcePage

/// What an upstream has at a cursor.
struct SourcePage: Sendable {
    var items: [FeedImage]
    var continuation = FeedContinuation.unknown

    /// When the upstream had it, which is earlier than now when it says so.
    let savedAt: Date

    /// Whether the upstream has kept it for a while itself.
    var isAged = false
    var validators: PageValidators?
}

extension SourcePage {
    /// - Throws: `FeedSourceError.rejected` for what is no page.
    init(_ answer: HTTPAnswer, now: Date) throws(FeedSourceError) {
        let age = answer.all("Age").first
        do throws(FeedRejection) {
            self.init(
                items: try FeedItemsMapper.map(answer.body, statusCode: answer.status),
                continuation: FeedContinuation(links: answer.all("Link")),
                savedAt: FeedCachePolicy.savedAt(now, age: age), isAged: FeedCachePolicy.seconds(age) > 0)
        } catch {
            throw .rejected(error)
        }
    }
}

/// What can be wrong with an answer of the upstream.
enum FeedSourceError: Error, CustomStringConvertible {
    /// It does not know the item that the reader stands on.
    case cursorRefused(UUID)
    case rejected(FeedRejection)

    var description: String {
        switch self {
        case .cursorRefused(let id): "it knows no item \(id.uuidString)"
        case .rejected(let rejection): "its answer cannot be used: \(rejection)"
        }
    }
}
