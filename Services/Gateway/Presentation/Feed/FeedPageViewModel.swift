/// The texts of one page of the feed.
public struct FeedPageViewModel: Equatable, Sendable {
    public let title: String
    public let items: [FeedImageViewModel]
    /// How old the page is: "Updated 5 minutes ago", "The server does not answer: cached copy from 2 hours ago".
    public let status: String?
    /// The text to show when the feed is empty.
    public let empty: String?
    /// The text to show after the last item of the feed.
    public let end: String?

    public init(title: String, items: [FeedImageViewModel], status: String?, empty: String?, end: String?) {
        self.title = title
        self.items = items
        self.status = status
        self.empty = empty
        self.end = end
    }
}
