import Feed
import GRDB

extension FeedImage {
    /// - Parameter row: id, description, location, image.
    init(row: Row) throws {
        self.init(
            id: try row.decode(atIndex: 0), description: try row.decode(atIndex: 1),
            location: try row.decode(atIndex: 2), image: try row.decode(atIndex: 3))
    }
}
