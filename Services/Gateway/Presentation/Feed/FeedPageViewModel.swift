/// One page of the feed, as shown.
public struct FeedPageViewModel: Equatable, Sendable {
    public let title: String
    public let items: [FeedImageViewModel]
    /// How fresh the page is: "Updated 5 minutes ago", "Offline: cached copy from 2 hours ago".
    public let status: String?
    /// Stands in the place of the items when the whole feed has none.
    public let empty: String?
    /// Follows the last item when nothing comes after it.
    public let end: String?

    public init(title: String, items: [FeedImageViewModel], status: String?, empty: String?, end: String?) {
        self.title = title
        self.items = items
        self.status = status
        self.empty = empty
        self.end = end
    }
}
