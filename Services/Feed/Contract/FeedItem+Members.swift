import EdgeModel
import Foundation
import JSON

extension FeedItem {
    /// The members of an item in an object, which may have further members.
    public struct Members: Sendable {
        private let id: ObjectMember<UUID>
        private let description: ObjectMember<String?>
        private let location: ObjectMember<String?>
        private let image: ObjectMember<String>
        private let tags: ObjectMember<[String]?>
        private let publishedAt: ObjectMember<Date?>
        private let hints: PictureHints.Members
        private let details: PictureDetails.Members

        /// The members of a served item.
        public init<Object>(
            in object: inout ObjectDeclaration<Object>, _ get: @escaping @Sendable (Object) -> FeedItem
        ) {
            self = object.part(get) { item in
                Members(
                    in: &item, description: .string, location: .string,
                    image: .uri(schemes: imageSchemes, maximumBytes: nil), tags: .array(of: .string),
                    date: "When the author published the item.", isAuthored: false)
            }
        }

        init(
            in item: inout ObjectDeclaration<FeedItem>, description: Codec<String>, location: Codec<String>,
            image: Codec<String>, tags: Codec<[String]>, date: String, isAuthored: Bool
        ) {
            id = item.required("id", .uuid, \.id)
            self.description = item.optional("description", description, \.description)
            self.location = item.optional("location", location, \.location)
            self.image = item.required("image", image, \.image)
            self.tags = item.optional("tags", tags, { $0.tags.isEmpty ? nil : $0.tags }, "In the author's order.")
            publishedAt = item.optional("published_at", .date, \.publishedAt, date)
            hints = PictureHints.Members(in: &item, \.hints)
            details = PictureDetails.Members(in: &item, isAuthored: isAuthored, \.details)
        }

        public func read(_ members: ObjectMembers) throws(JSONError) -> FeedItem {
            FeedItem(
                id: try members[id], description: try members[description], location: try members[location],
                image: try members[image], tags: try members[tags] ?? [], publishedAt: try members[publishedAt],
                hints: try hints.read(members), details: try details.read(members))
        }
    }
}
