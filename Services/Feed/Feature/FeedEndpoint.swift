import Foundation

/// Where an upstream answers.
public struct FeedEndpoint: Equatable, Sendable, CustomStringConvertible {
    /// Without a slash at the end.
    private let base: String

    /// - Parameter base: of the upstream's API, with or without a path; without query and fragment.
    public init(_ base: URL) {
        self.base = String(base.absoluteString.reversed().drop { $0 == "/" }.reversed())
    }

    /// The address of a page.
    public func page(_ limit: Int, at cursor: FeedCursor) -> String {
        let page = "\(base)/v1/feed?limit=\(limit)"
        return switch cursor {
        case .start: page
        case .after(let id): "\(page)&after_id=\(id.uuidString)"
        case .before(let id): "\(page)&before_id=\(id.uuidString)"
        }
    }

    /// The address of a page of an upstream that counts them, from 1 on.
    public func page(_ limit: Int, number: Int) -> String { "\(base)/v1/feed?page=\(number)&limit=\(limit)" }

    public var description: String { base }
}
