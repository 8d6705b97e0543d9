/// The texts of an image's comments.
public struct CommentsViewModel: Equatable, Sendable {
    public let title: String
    public let items: [CommentViewModel]
    /// The text to show when the image has no comments.
    public let empty: String?
    /// How old the comments are: "Updated 5 minutes ago", "The server does not answer: cached copy from 2 hours ago".
    public let status: String?

    public init(title: String, items: [CommentViewModel], empty: String?, status: String?) {
        self.title = title
        self.items = items
        self.empty = empty
        self.status = status
    }
}
