import JSON
import RPC

/// Parameters of `image-data.prefetch`.
public struct PrefetchImages: Sendable, Equatable {
    /// 1…100.
    public let urls: [String]

    public init(urls: [String]) { self.urls = urls }

    public static let codec = Codec<PrefetchImages>.object { object in
        let urls = object.required(
            "urls", .array(of: ImageDataContract.url, count: 1...ImageDataContract.maximumBatch), \.urls)
        return { members throws(JSONError) in PrefetchImages(urls: try members[urls]) }
    }
}

/// The answer of `image-data.prefetch`.
public struct Prefetched: Sendable, Equatable {
    /// The number of fetches that were queued, for images that were not stored. Use `image-data.stat` to see whether
    /// they succeeded.
    public let accepted: Int

    public init(accepted: Int) { self.accepted = accepted }

    public static let codec = Codec<Prefetched>.object { object in
        let accepted = object.required("accepted", .integer(0 ... .max), \.accepted)
        return { members throws(JSONError) in Prefetched(accepted: try members[accepted]) }
    }
}
