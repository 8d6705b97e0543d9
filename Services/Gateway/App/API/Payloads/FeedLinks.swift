import FeedContract
import Foundation
import Presentation

/// The URLs of a page of a document for feed readers, and of the pages beside it. All have the same page size and
/// language.
struct FeedLinks: Sendable {
    /// The feed in its language, which is the same for all pages and page sizes.
    let feed: String

    /// The newest page.
    let first: String
    let current: String

    /// The page with older items; nil at the end.
    let next: String?

    /// The page with newer items; nil on the first page and for an empty page.
    let previous: String?

    /// - Parameter language: the language that the request names in its target; nil for that of the request's headers.
    init(_ page: LoadedFeed, _ load: LoadFeed, language: Language?, at path: String, _ publicURL: PublicURL) {
        func url(after: UUID? = nil, before: UUID? = nil) -> String {
            publicURL.url(
                of: path,
                [
                    "lang": language?.rawValue, "limit": load.limit.map(String.init), "after_id": after?.uuidString,
                    "before_id": before?.uuidString,
                ])
        }
        feed = publicURL.url(of: path, ["lang": language?.rawValue])
        first = url()
        current = url(after: load.afterID, before: load.beforeID)
        next = page.nextAfterID.map { url(after: $0) }
        previous = current == first ? nil : page.prevBeforeID.map { url(before: $0) }
    }
}
