import Foundation
import JSON
import RPC

/// Parameters of `image-data.load`.
///
/// Bytes that were put are the answer whatever policy, strategy and time to live say.
public struct LoadImage: Sendable, Equatable {
    public let url: String

    /// Which caches may be read and written; default: both.
    public let policy: Policy?

    /// In which order cache and upstream are asked; default: the cache first.
    public let strategy: Strategy?

    /// How many seconds cached bytes are good for.
    public let timeToLive: Int?

    public init(url: String, policy: Policy? = nil, strategy: Strategy? = nil, timeToLive: Int? = nil) {
        self.url = url
        self.policy = policy
        self.strategy = strategy
        self.timeToLive = timeToLive
    }

    public enum Policy: String, Sendable, CaseIterable {
        /// No cache is read or written.
        case none
        /// On disk.
        case cold
        /// In memory.
        case hot
        case hotOrCold = "hot_or_cold"
    }

    public enum Strategy: String, Sendable, CaseIterable {
        case cacheElseLoad = "cache_else_load"
        case reload
        case cacheOnly = "cache_only"
        /// A stream of two answers.
        case cacheThenLoad = "cache_then_load"
    }

    public static let codec = Codec<LoadImage>.object { object in
        let url = object.required("url", ImageDataContract.url, \.url)
        let policy = object.optional("policy", .oneOf, \.policy, "Which caches; default hot_or_cold.")
        let strategy = object.optional("strategy", .oneOf, \.strategy, "Default cache_else_load.")
        let timeToLive = object.optional(
            "ttl_s", .integer(0...ImageDataContract.maximumSeconds), \.timeToLive,
            "How many seconds cached bytes are good for.")
        return { members throws(JSONError) in
            LoadImage(
                url: try members[url], policy: try members[policy], strategy: try members[strategy],
                timeToLive: try members[timeToLive])
        }
    }
}

/// The answer of `image-data.load`.
public struct LoadedImage: Sendable, Equatable {
    public let data: Bytes
    public let metadata: ImageMetadata

    /// The upstream was not reached, and the bytes are older than asked for.
    public let stale: Bool?

    /// When the time to live of fetched bytes ends; nil for bytes that were put, which have none.
    public let expiresAt: Date?

    public init(data: Bytes, metadata: ImageMetadata, stale: Bool? = nil, expiresAt: Date? = nil) {
        self.data = data
        self.metadata = metadata
        self.stale = stale
        self.expiresAt = expiresAt
    }

    public static let codec = Codec<LoadedImage>.object { object in
        let data = object.required("data", Bytes.codec, \.data)
        let metadata = ImageMetadata.Members(in: &object) { $0.metadata }
        let stale = object.optional("stale", .boolean, \.stale)
        let expiresAt = object.optional(
            "expires_at", .date, \.expiresAt, "When fetched bytes expire; bytes that were put never do.")
        return { members throws(JSONError) in
            LoadedImage(
                data: try members[data], metadata: try metadata.read(members), stale: try members[stale],
                expiresAt: try members[expiresAt])
        }
    }
}
