/// The comments of one image, as shown.
public struct CommentsViewModel: Equatable, Sendable {
    public let title: String
    public let items: [CommentViewModel]
    /// Stands in the place of the items when the image has no comment.
    public let empty: String?
    /// How fresh the comments are: "Updated 5 minutes ago", "Offline: cached copy from 2 hours ago".
    public let status: String?

    public init(title: String, items: [CommentViewModel], empty: String?, status: String?) {
        self.title = title
        self.items = items
        self.empty = empty
        self.status = status
    }
}
