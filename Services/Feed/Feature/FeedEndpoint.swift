import Foundation

/// The URLs of an upstream's feed.
public struct FeedEndpoint: Equatable, Sendable, CustomStringConvertible {
    /// The base URL without a trailing slash.
    private let base: String

    /// - Parameter base: the base URL of the upstream's API, with or without a path; without query and fragment.
    public init(_ base: URL) {
        self.base = String(base.absoluteString.reversed().drop { $0 == "/" }.reversed())
    }

    /// The URL of a page.
    public func page(_ limit: Int, at cursor: FeedCursor) -> String {
        let page = "\(base)/v1/feed?limit=\(limit)"
        return switch cursor {
        case .start: page
        case .after(let id): "\(page)&after_id=\(id.uuidString)"
        case .before(let id): "\(page)&before_id=\(id.uuidString)"
        }
    }

    /// The URL of a page of an upstream that numbers its pages, from 1.
    public func page(_ limit: Int, number: Int) -> String { "\(base)/v1/feed?page=\(number)&limit=\(limit)" }

    /// The URL of the events that tell of changes.
    public var events: String { "\(base)/v1/feed/events" }

    /// The URL of an item.
    public func item(_ id: UUID) -> String { "\(base)/v1/image/\(id.uuidString)" }

    public var description: String { base }
}
