import EdgeModel
import Foundation
import JSON
import RPC

/// Parameters of `image-data.load`.
///
/// If bytes were put for the URL, they are the answer, whatever the policy, the strategy and the time to live are.
public struct LoadImage: Sendable, Equatable {
    public let url: String

    /// The caches that may be read and written; default: both.
    public let policy: Policy?

    /// The order of cache and upstream; default: the cache first.
    public let strategy: Strategy?

    /// The time to live of cached bytes in seconds.
    public let timeToLive: Int?

    /// Return a variant: the picture in the next of `widths`, upright, in sRGB and without metadata. Nil for the original.
    ///
    /// The original is returned when it is not wider, when it is animated, when `width` is above all `widths`, and when no
    /// smaller variant can be made of it.
    public let width: Int?

    /// The media types that the caller accepts for a variant, beside those that every client of the original can read. The
    /// service chooses.
    public let accept: [VariantType]?

    public init(
        url: String, policy: Policy? = nil, strategy: Strategy? = nil, timeToLive: Int? = nil, width: Int? = nil,
        accept: [VariantType]? = nil
    ) {
        self.url = url
        self.policy = policy
        self.strategy = strategy
        self.timeToLive = timeToLive
        self.width = width
        self.accept = accept
    }

    /// The media types of variants that not every client can read.
    public enum VariantType: String, Sendable, CaseIterable {
        case webp = "image/webp"
        /// Allowed for the future: the service makes none, because it takes too long.
        case avif = "image/avif"
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
        let policy = object.optional("policy", .oneOf, \.policy, "The caches to read and write; default hot_or_cold.")
        let strategy = object.optional("strategy", .oneOf, \.strategy, "Default cache_else_load.")
        let timeToLive = object.optional(
            "ttl_s", .integer(0...ImageDataContract.maximumSeconds), \.timeToLive,
            "The time to live of cached bytes, in seconds.")
        let width = object.optional(
            "width", .integer(PictureHints.sides), \.width,
            "Return a variant of the next of these widths: \(PictureHints.variantWidthsText); the original if it is not wider."
        )
        let accept = object.optional(
            "accept", .array(of: .oneOf, count: 0...VariantType.allCases.count), \.accept,
            "The media types that the caller accepts for a variant.")
        return { members throws(JSONError) in
            LoadImage(
                url: try members[url], policy: try members[policy], strategy: try members[strategy],
                timeToLive: try members[timeToLive], width: try members[width], accept: try members[accept])
        }
    }
}

/// The answer of `image-data.load`.
public struct LoadedImage: Sendable, Equatable {
    public let data: Bytes
    public let metadata: ImageMetadata

    /// The bytes have expired, and the upstream could not be reached.
    public let stale: Bool?

    /// When fetched bytes expire; nil for bytes that were put, which do not expire.
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
            "expires_at", .date, \.expiresAt, "When fetched bytes expire; bytes that were put do not expire.")
        return { members throws(JSONError) in
            LoadedImage(
                data: try members[data], metadata: try metadata.read(members), stale: try members[stale],
                expiresAt: try members[expiresAt])
        }
    }
}
