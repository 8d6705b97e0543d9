import Foundation

/// Stores bytes by URL. URLs with the same content share one copy. Every store passes the specs in
/// `Tests/ImageDataTests`.
public protocol ImageStore: Sendable {
    /// - Throws: `ImageStoreError.damaged` when the bytes fail their checksum.
    func image(at url: String) async throws -> StoredImage?

    /// Returns the metadata of those that are stored, by URL, without reading the bytes.
    func records(at urls: [String]) async throws -> [String: ImageRecord]

    /// Stores bytes for a URL. Repeating the call changes nothing, except that it replaces damaged bytes.
    /// - Throws: `ImageStoreError.conflict` when the URL has other bytes.
    func put(_ image: StoredImage, at url: String) async throws

    func evict(_ eviction: Eviction) async throws -> Evicted

    /// The total size of all contents in bytes.
    func bytes() async throws -> Int
}

extension ImageStore {
    public func record(at url: String) async throws -> ImageRecord? { try await records(at: [url])[url] }
}

public enum ImageStoreError: Error, Equatable, Sendable {
    case conflict(url: String)
    case damaged(url: String)
}
