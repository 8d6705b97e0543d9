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
            self.init(
                in: &object, description: .string, location: .string,
                image: .uri(schemes: imageSchemes, maximumBytes: nil), tags: .array(of: .string),
                date: "When the author published the item.", isAuthored: false, get)
        }

        init<Object>(
            in object: inout ObjectDeclaration<Object>, description: Codec<String>, location: Codec<String>,
            image: Codec<String>, tags: Codec<[String]>, date: String, isAuthored: Bool,
            _ get: @escaping @Sendable (Object) -> FeedItem
        ) {
            id = object.required("id", .uuid, { get($0).id })
            self.description = object.optional("description", description, { get($0).description })
            self.location = object.optional("location", location, { get($0).location })
            self.image = object.required("image", image, { get($0).image })
            self.tags = object.optional(
                "tags", tags, { get($0).tags.isEmpty ? nil : get($0).tags }, "In the author's order.")
            publishedAt = object.optional("published_at", .date, { get($0).publishedAt }, date)
            hints = PictureHints.Members(in: &object) { get($0).hints }
            details = PictureDetails.Members(in: &object, isAuthored: isAuthored) { get($0).details }
        }

        public func read(_ members: ObjectMembers) throws(JSONError) -> FeedItem {
            FeedItem(
                id: try members[id], description: try members[description], location: try members[location],
                image: try members[image], tags: try members[tags] ?? [], publishedAt: try members[publishedAt],
                hints: try hints.read(members), details: try details.read(members))
        }
    }
}
