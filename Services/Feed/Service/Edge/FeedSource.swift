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

    /// Whether it has fewer items than were asked for, and the upstream did not say whether more follow.
    var isShort = false

    /// When the upstream had it, which is earlier than now when it says so.
    let savedAt: Date

    /// Whether the upstream has kept it for a while itself.
    var isAged = false
    var validators: PageValidators?
}

extension SourcePage {
    /// - Parameters:
    ///   - limit: how many items were asked for.
    ///   - url: what was asked for.
    /// - Throws: `FeedSourceError.rejected` for an answer that is not a page.
    init(_ answer: HTTPAnswer, limit: Int, url: String, now: Date) throws(FeedSourceError) {
        let age = answer.all("Age").first
        let continuation = FeedContinuation(links: answer.all("Link"))
        do throws(FeedRejection) {
            let items = try FeedItemsMapper.map(answer.body, statusCode: answer.status, page: url)
            self.init(
                items: items, continuation: continuation,
                isShort: items.count < limit && continuation == .unknown,
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
