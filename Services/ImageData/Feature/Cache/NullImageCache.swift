import Foundation

/// A cache that stores nothing, for a service whose cache cannot be opened.
public struct NullImageCache: ImageCache {
    public init() {}

    public func image(at url: String) -> CachedImage? { nil }
    public func record(at url: String) -> CachedRecord? { nil }
    public func touch(_ url: String) {}
    public func keep(_ image: CachedImage, at url: String, while isWanted: () -> Bool) {}
    public func evict(_ eviction: Eviction) -> Evicted { Evicted(urls: 0, bytes: 0) }
}
