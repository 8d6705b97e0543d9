import Foundation

/// Keeps bytes that have an origin, within a budget: what was used least recently goes first. Every cache passes the specs
/// in `Tests/ImageDataTests`.
public protocol ImageCache: Sendable {
    /// The bytes, which are used by that.
    /// - Throws: `ImageStoreError.damaged` when they are not those that were kept.
    func image(at url: String) async throws -> CachedImage?

    /// What is known about the bytes, without a look at them and without using them.
    func record(at url: String) async throws -> CachedRecord?

    /// The bytes were used where another cache has them too.
    func touch(_ url: String)

    /// Keeps bytes, in the place of others. Bytes that are over the budget by themselves are not kept, nor those that they
    /// would have replaced.
    /// - Parameter isWanted: asked when no other change of the cache can come in between; when false, nothing is changed.
    func keep(_ image: CachedImage, at url: String, while isWanted: @escaping @Sendable () -> Bool) async throws

    func evict(_ eviction: Eviction) async throws -> Evicted
}

extension ImageCache {
    /// Keeps bytes whatever happens meanwhile.
    public func keep(_ image: CachedImage, at url: String) async throws {
        try await keep(image, at: url, while: { true })
    }
}
