import Foundation
import ImageData

/// All stored bytes of a service: fetched bytes, in memory and on disk, and bytes that were put.
struct ImageCaches: Sendable {
    let hot: HotImages
    let cold: ColdImages

    /// Bytes that were put: they have no time to live and no budget, and only an eviction removes them. Nil for a
    /// service with an upstream, which rejects `put`.
    var pinned: (any ImageStore)?

    /// Where bytes were found.
    enum Place: Sendable { case hot, cold, pinned }

    /// Returns fetched bytes from memory.
    func imageInMemory(at url: String, in tiers: ImageTiers) -> CachedImage? {
        guard tiers.contains(.hot), let image = hot.image(at: url) else { return nil }
        cold.touch(url)
        return image
    }

    /// Returns bytes from disk: those that were put, whatever the tiers are, otherwise fetched ones, which it also
    /// stores in memory.
    /// - Throws: an error when bytes that were put cannot be read.
    func imageOnDisk(at url: String, in tiers: ImageTiers) async throws -> (image: StoredImage, place: Place)? {
        let evictions = hot.evictions
        if let image = try await pinned?.image(at: url) { return (image, .pinned) }
        guard tiers.contains(.cold), let image = await cold.image(at: url) else { return nil }
        if tiers.contains(.hot) { hot.keep(image, at: url, unlessMoreThan: evictions) }
        return (image.image, .cold)
    }

    /// Returns fetched bytes, to renew them.
    func fetchedImage(at url: String, in tiers: ImageTiers) async -> CachedImage? {
        if let image = imageInMemory(at: url, in: tiers) { return image }
        return tiers.contains(.cold) ? await cold.image(at: url) : nil
    }

    /// Returns the metadata of fetched bytes, without marking them as used.
    func fetchedRecord(at url: String, in tiers: ImageTiers) async -> (record: CachedRecord, place: Place)? {
        await fetchedRecords(at: [url], in: tiers)[url]
    }

    private func fetchedRecords(
        at urls: [String], in tiers: ImageTiers
    ) async -> [String: (record: CachedRecord, place: Place)] {
        var records: [String: (record: CachedRecord, place: Place)] = [:]
        if tiers.contains(.hot) {
            for url in urls { records[url] = hot.peek(url).map { (CachedRecord($0), .hot) } }
        }
        let others = urls.filter { records[$0] == nil }
        guard tiers.contains(.cold), !others.isEmpty else { return records }
        return records.merging(await cold.records(at: others).mapValues { ($0, .cold) }) { hot, _ in hot }
    }

    /// Returns the metadata of bytes, without marking them as used.
    func record(at url: String) async throws -> (record: ImageRecord, place: Place)? {
        try await records(at: [url])[url]
    }

    /// Returns the metadata of those that are stored, by URL.
    func records(at urls: [String]) async throws -> [String: (record: ImageRecord, place: Place)] {
        let put = try await pinned?.records(at: urls) ?? [:]
        let fetched = await fetchedRecords(at: urls.filter { put[$0] == nil }, in: .all)
        return put.mapValues { ($0, .pinned) }
            .merging(fetched.mapValues { ($0.record.record, $0.place) }) { put, _ in put }
    }

    /// The same, but from memory if the bytes were put and have been read since the last change.
    func recentRecord(at url: String) async throws -> (record: ImageRecord, place: Place)? {
        if let record = hot.record(ofPut: url) { return (record, .pinned) }
        let evictions = hot.evictions
        let found = try await record(at: url)
        if let (record, place) = found, place == .pinned { hot.keep(record, ofPut: url, unlessMoreThan: evictions) }
        return found
    }

    func keep(_ image: CachedImage, at url: String, in destination: FetchDestination) async {
        destination.withTiers { tiers in
            if tiers.contains(.hot) { hot.keep(image, at: url) }
        }
        guard destination.tiers.contains(.cold) else { return }
        await cold.keep(image, at: url) { destination.tiers.contains(.cold) }
    }

    /// Evicts fetched bytes of a URL whose bytes were put.
    func dropFetched(at url: String) async {
        _ = hot.evict(.urls([url]))
        await cold.drop(url)
    }

    /// Evicts bytes from all caches and the store. Down to a size, it evicts fetched bytes before bytes that were put.
    /// - Throws: an error when the disk cannot be written; bytes in memory are evicted nevertheless.
    func evict(_ eviction: Eviction) async throws -> Evicted {
        // A record may be read while its bytes are being evicted.
        defer { hot.noteEviction() }
        let originals = try await originals(of: eviction)
        var fetched = eviction
        if case .downTo(let bytes) = eviction, let pinned {
            fetched = .downTo(bytes: max(0, bytes - (try await pinned.bytes())))
        }
        var (urls, bytes) = (0, 0)
        let inMemory = hot.evict(fetched)
        let onDisk = await cold.records(at: Array(inMemory.keys))
        for (url, size) in inMemory where onDisk[url] == nil { (urls, bytes) = (urls + 1, bytes + size) }
        hot.dropVariants(of: originals)
        // First the cache: after its failure nothing that was put is gone, and the eviction can be tried again.
        let cached = try await cold.evict(fetched)
        let put = try await pinned?.evict(eviction)
        for evicted in [put, cached].compactMap(\.self) {
            (urls, bytes) = (urls + evicted.urls, bytes + evicted.bytes)
        }
        // The cache on disk has dropped those of its own images.
        if let put { try await cold.dropDerived(from: put.freed) }
        return Evicted(urls: urls, bytes: bytes)
    }

    /// The contents whose variants in memory an eviction drops; nil for all. Another URL may still name them: then the disk has them.
    private func originals(of eviction: Eviction) async throws -> Set<ContentHash>? {
        guard case .urls(let urls) = eviction else { return nil }
        return Set(try await records(at: urls).values.map(\.record.hash))
    }
}
