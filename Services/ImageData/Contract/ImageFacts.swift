import EdgeModel
import JSON
import RPC

/// Parameters of `image-data.facts`.
public struct FactSelection: Sendable, Equatable {
    /// 1…100.
    public let urls: [String]

    public init(urls: [String]) { self.urls = urls }

    public static let codec = Codec<FactSelection>.object { object in
        let urls = object.required(
            "urls", .array(of: ImageDataContract.url, count: 1...ImageDataContract.maximumBatch), \.urls)
        return { members throws(JSONError) in FactSelection(urls: try members[urls]) }
    }
}

/// The answer of `image-data.facts`.
public struct ImageFacts: Sendable, Equatable {
    /// By URL; URLs of which nothing is known are missing.
    public let facts: [String: PictureHints]

    public init(facts: [String: PictureHints]) { self.facts = facts }

    public static let codec = Codec<ImageFacts>.object { object in
        let facts = object.required(
            "facts", .dictionary(of: fact), \.facts, "By URL; URLs of which nothing is known are missing.")
        return { members throws(JSONError) in ImageFacts(facts: try members[facts]) }
    }

    private static let fact = Codec<PictureHints>.object { object in
        let hints = PictureHints.Members(in: &object) { $0 }
        return { members throws(JSONError) in try hints.read(members) }
    }
}
