import JSON
import RPC

/// Parameters of `image-data.evict`: exactly one of the three.
public enum EvictImages: Sendable, Equatable {
    /// 1…100 URLs.
    case urls([String])

    /// The bytes that were stored at least this many seconds ago.
    case olderThan(seconds: Int)

    /// The least recently stored bytes, until at most this many bytes remain.
    case toBytes(Int)

    public static let codec = Codec<EvictImages>.object { object in
        let urls = object.optional(
            "urls", .array(of: ImageDataContract.url, count: 1...ImageDataContract.maximumBatch), \.urls)
        let age = object.optional(
            "older_than_s", .integer(0...ImageDataContract.maximumSeconds), \.age,
            "Evict bytes that were stored at least this many seconds ago.")
        let bytes = object.optional(
            "to_bytes", .integer(0 ... .max), \.bytes,
            "Evict the least recently stored bytes, until at most this many remain.")
        return { members throws(JSONError) in
            switch (try members[urls], try members[age], try members[bytes]) {
            case (let urls?, nil, nil): return .urls(urls)
            case (nil, let age?, nil): return .olderThan(seconds: age)
            case (nil, nil, let bytes?): return .toBytes(bytes)
            default: throw .refused("must have exactly one of urls, older_than_s and to_bytes")
            }
        }
    }

    private var urls: [String]? { if case .urls(let urls) = self { urls } else { nil } }
    private var age: Int? { if case .olderThan(let seconds) = self { seconds } else { nil } }
    private var bytes: Int? { if case .toBytes(let bytes) = self { bytes } else { nil } }
}

/// The answer of `image-data.evict`.
public struct EvictedImages: Sendable, Equatable {
    /// The number of URLs that no longer have bytes.
    public let count: Int

    /// The number of bytes that were freed. Content that another URL still names is not freed.
    public let bytes: Int

    public init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }

    public static let codec = Codec<EvictedImages>.object { object in
        let count = object.required("count", .integer(0 ... .max), \.count)
        let bytes = object.required("bytes", .integer(0 ... .max), \.bytes)
        return { members throws(JSONError) in EvictedImages(count: try members[count], bytes: try members[bytes]) }
    }
}
