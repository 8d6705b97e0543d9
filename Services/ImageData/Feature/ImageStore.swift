import Foundation

/// Keeps bytes by URL, each content once however many URLs name it. Every store passes the specs in
/// `Tests/ImageDataTests`.
public protocol ImageStore: Sendable {
    /// - Throws: `ImageStoreError.damaged` when the bytes are not those that were put.
    func image(at url: String) async throws -> StoredImage?

    /// What is known about the bytes, without a look at them.
    func record(at url: String) async throws -> ImageRecord?

    /// Keeps bytes for a URL. Repeating it changes nothing, but replaces bytes that were damaged.
    /// - Throws: `ImageStoreError.conflict` when other bytes are kept for the URL.
    func put(_ image: StoredImage, at url: String) async throws

    func evict(_ eviction: Eviction) async throws -> Evicted

    /// The size of all contents together.
    func bytes() async throws -> Int
}

public enum ImageStoreError: Error, Equatable, Sendable {
    case conflict(url: String)
    case damaged(url: String)
}
