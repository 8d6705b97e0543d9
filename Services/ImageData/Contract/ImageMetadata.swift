import EdgeModel
import Foundation
import JSON
import RPC

/// The metadata of an image; the answer of `image-data.stat`.
public struct ImageMetadata: Sendable, Equatable {
    public let contentType: String
    public let size: Int

    /// In lower-case hexadecimal.
    public let sha256: String

    /// Where the service found the bytes.
    public let source: Source

    public let storedAt: Date

    /// How old the bytes were at `storedAt`, in seconds: the `Age` of the upstream's answer.
    public let age: Int

    /// The size and a placeholder of the picture, as far as they are known; only in the answer of `image-data.stat`.
    public let hints: PictureHints

    public init(
        contentType: String, size: Int, sha256: String, source: Source, storedAt: Date, age: Int = 0,
        hints: PictureHints = PictureHints()
    ) {
        self.contentType = contentType
        self.size = size
        self.sha256 = sha256
        self.source = source
        self.storedAt = storedAt
        self.age = age
        self.hints = hints
    }

    public enum Source: String, Sendable, CaseIterable {
        /// The cache in memory.
        case hot
        /// The store or the cache on disk.
        case cold
        /// The upstream or the origin server, for this call.
        case remote
    }

    public static let codec = Codec<ImageMetadata>.object { object in
        let metadata = Members(in: &object) { $0 }
        let hints = PictureHints.Members(in: &object) { $0.hints }
        return { members throws(JSONError) in try metadata.read(members, hints: try hints.read(members)) }
    }

    /// The members of `ImageMetadata` inside a larger object, without hints.
    struct Members: Sendable {
        private let contentType: ObjectMember<String>
        private let size: ObjectMember<Int>
        private let sha256: ObjectMember<String>
        private let source: ObjectMember<Source>
        private let storedAt: ObjectMember<Date>
        private let age: ObjectMember<Int?>

        init<Object>(
            in object: inout ObjectDeclaration<Object>, _ get: @escaping @Sendable (Object) -> ImageMetadata
        ) {
            self = object.part(get) { Members(in: &$0) }
        }

        private init(in metadata: inout ObjectDeclaration<ImageMetadata>) {
            contentType = metadata.required("content_type", .string, \.contentType)
            size = metadata.required("size", .integer(1 ... .max), \.size, "In bytes.")
            sha256 = metadata.required("sha256", .string, \.sha256, "In lower-case hexadecimal.")
            source = metadata.required("source", .oneOf, \.source)
            storedAt = metadata.required("stored_at", .date, \.storedAt)
            age = metadata.optional(
                "age_s", .integer(0...UpstreamAnswer.maximumAge), { $0.age == 0 ? nil : $0.age },
                "How old the bytes were at stored_at, in seconds: the Age of the upstream's answer; default 0.")
        }

        func read(
            _ members: ObjectMembers, hints: PictureHints = PictureHints()
        ) throws(JSONError) -> ImageMetadata {
            ImageMetadata(
                contentType: try members[contentType], size: try members[size], sha256: try members[sha256],
                source: try members[source], storedAt: try members[storedAt],
                age: try members[age] ?? 0, hints: hints)
        }
    }
}

/// Parameters of `image-data.stat`.
public struct ImageSelection: Sendable, Equatable {
    public let url: String

    public init(url: String) { self.url = url }

    public static let codec = Codec<ImageSelection>.object { object in
        let url = object.required("url", ImageDataContract.url, \.url)
        return { members throws(JSONError) in ImageSelection(url: try members[url]) }
    }
}
