import Foundation
import RPC

/// An item as it travels; the names are those of the HTTP API.
public struct FeedItem: Sendable, Equatable {
    public let id: UUID

    /// Up to 10,000 Unicode scalars.
    public let description: String?

    /// Up to 1,000 Unicode scalars.
    public let location: String?

    /// `http:`, `https:` or `urn:`, up to 2,048 bytes.
    public let image: String

    public init(id: UUID, description: String? = nil, location: String? = nil, image: String) {
        self.id = id
        // Nothing said is nothing, however it is spelled.
        self.description = description.flatMap { $0.isEmpty ? nil : $0 }
        self.location = location.flatMap { $0.isEmpty ? nil : $0 }
        self.image = image
    }

    public static let maximumDescription = 10_000
    public static let maximumLocation = 1_000

    public static let shape = Shape<FeedItem>.object { object in
        let id = object.required("id", .uuid, \.id)
        let description = object.optional("description", .trimmed(0...maximumDescription), \.description)
        let location = object.optional("location", .trimmed(0...maximumLocation), \.location)
        let image = object.required("image", .uri(schemes: ["http", "https", "urn"]), \.image)
        return { members throws(JSONError) in
            FeedItem(
                id: try members[id], description: try members[description], location: try members[location],
                image: try members[image])
        }
    }
}
