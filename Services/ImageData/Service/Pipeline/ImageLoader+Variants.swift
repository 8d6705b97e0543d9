import EdgeKit
import EdgeModel
import Foundation
import ImageData
import RPC
import Timing

extension ImageLoader {
    // MARK: Variants

    /// Returns or makes the variant of a stored image, without holding the original's bytes.
    /// - Returns: nil when the original must be loaded first, or is to be served.
    func storedVariant(_ request: Request) async throws -> Answer? {
        let shelf = VariantShelf(caches, url: request.url, tiers: request.tiers)
        guard let wanted = request.variant, let variants, request.strategy == .cacheElseLoad, request.tiers == .all,
            let (record, place) = try await caches.recentRecord(at: request.url),
            let variant = Variant(of: record.hash, wanted, contentType: record.contentType)
        else { return nil }
        let now = now()
        let expiry =
            place == .pinned
            ? nil
            : ImageExpiry.date(
                storedAt: record.storedAt, timeToLive: request.timeToLive ?? timeToLive, now: now)
        if let expiry, now >= expiry { return nil }
        let found = try await read(for: request.room) {
            await shelf.variant(variant, of: record)
        }
        if let found { return Answer(image: found.image, source: found.place == .hot ? .hot : .cold, expiry: expiry) }
        guard let facts = await caches.cold.facts(of: record.hash), variant.isMade(from: facts) else { return nil }
        let made = try await variants.variant(variant, of: record, on: shelf) {
            try await storedBytes(of: record.hash, at: request.url)
        }
        return made.map { Answer(image: $0, source: .cold, expiry: expiry) }
    }

    /// What is known once the original of a variant was loaded.
    enum Loaded: Sendable {
        /// The variant, or the original where there is none.
        case answer(Answer)
        case making(Making)
    }

    /// A variant that must be made.
    struct Making: Sendable {
        let variant: Variant
        let shelf: VariantShelf
        let record: ImageRecord
        let source: Source
        let expiry: Date?

        /// Nil if the caches have its bytes: many variants can wait, and their originals can be large.
        let original: Answer?
    }

    /// Returns the variant of a loaded image, or the image itself.
    func variant(of original: Answer, _ request: Request) async throws -> Answer {
        switch try await next(original, request) {
        case .answer(let answer): answer
        case .making(let making): try await made(making, request) ?? original
        }
    }

    func loaded(_ request: Request) async throws -> Loaded? {
        guard let original = try await loadOriginal(request) else { return nil }
        return try await next(original, request)
    }

    private func next(_ original: Answer, _ request: Request) async throws -> Loaded {
        let record = original.image.record
        guard let wanted = request.variant, let variants,
            let variant = Variant(of: record.hash, wanted, contentType: record.contentType), variants.canMake(variant),
            // Stored bytes that an earlier version accepted may be refused now. They are served as they are.
            let facts = try? await facts(of: original.image, in: request.tiers), variant.isMade(from: facts)
        else { return .answer(original) }
        let shelf = VariantShelf(caches, url: request.url, tiers: request.tiers)
        if let found = await shelf.variant(variant, of: record) {
            var answer = original
            answer.image = found.image
            return .answer(answer)
        }
        // A stale original would be asked for at its origin again.
        var isKept = !original.isStale && request.tiers == .all
        if isKept { isKept = try await caches.record(at: request.url)?.record.hash == record.hash }
        return .making(
            Making(
                variant: variant, shelf: shelf, record: record, source: original.source,
                expiry: original.expiry, original: isKept ? nil : original))
    }

    /// Makes a variant.
    /// - Returns: the original if it was held and no variant can be made; nil if it must be loaded again.
    func made(_ making: Making, _ request: Request) async throws -> Answer? {
        let made = try await variants?.variant(making.variant, of: making.record, on: making.shelf) {
            if let original = making.original { return original.image.data }
            return try await storedBytes(of: making.variant.original, at: request.url)
        }
        guard let made else { return making.original }
        return Answer(
            image: made, source: making.source, expiry: making.expiry, isStale: making.original?.isStale ?? false)
    }

    /// Reads stored bytes if they are still the same.
    private func storedBytes(of original: ContentHash, at url: String) async throws -> Data? {
        let image =
            if let image = caches.imageInMemory(at: url, in: .hot) { image.image } else {
                try await read(for: nil) { try await caches.imageOnDisk(at: url, in: .cold)?.image }
            }
        return image?.record.hash == original ? image?.data : nil
    }

    // MARK: Facts

    /// Returns the facts of an image; finds and stores them on first use. Facts of bytes that are not stored would remain for ever,
    /// so they are stored only with `cold`.
    private func facts(of image: StoredImage, in tiers: ImageTiers) async throws -> PictureFacts {
        if let facts = await caches.cold.facts(of: image.record.hash) { return facts }
        let facts = try await withTaskExecutorPreference(globalConcurrentExecutor) {
            PictureFacts(try ImageInspector.inspect(image.data))
        }
        if tiers.contains(.cold) { await caches.cold.keep(facts, of: image.record.hash) }
        return facts
    }

    /// Stores the facts of bytes that were put, and returns them. Waits a short time for the placeholder, unless it is deferred.
    func hints(
        of image: StoredImage, _ info: ImageInfo, defersPlaceholder: Bool
    ) async throws -> PictureHints {
        var facts = PictureFacts(info)
        if let known = await caches.cold.facts(of: image.record.hash), known.placeholder != nil || defersPlaceholder {
            return known.hints
        }
        if let variants, !defersPlaceholder {
            facts.placeholder = try await FetchBudget.unlessSpent(Self.placeholderTime, clock) { [facts] in
                try await variants.placeholder(of: image.record.hash, facts) { image.data }
            }
        }
        await caches.cold.keep(facts, of: image.record.hash)
        return facts.hints
    }

    /// What is known of stored images, by URL, without their bytes.
    /// - Returns: the facts, and whether more can be found in the background.
    func storedFacts(at urls: [String]) async throws -> [String: (facts: PictureFacts?, canBeCompleted: Bool)] {
        let records = try await caches.records(at: urls)
        let known = await caches.cold.facts(of: Set(records.values.map(\.record.hash)))
        return records.mapValues { found in
            let (hash, facts) = (found.record.hash, known[found.record.hash])
            return (facts, facts == nil || facts?.placeholder == nil && variants?.isRefused(hash) == false)
        }
    }

    /// Finds and stores the facts of a stored image, with its placeholder.
    /// - Throws: an error when the bytes cannot be read or are no picture.
    func completeFacts(at url: String) async throws {
        // They may have been found since the call.
        guard try await storedFacts(at: [url])[url]?.canBeCompleted == true,
            let record = try await caches.record(at: url)?.record,
            let data = try await storedBytes(of: record.hash, at: url)
        else { return }
        var facts = try await facts(of: StoredImage(record: record, data: data), in: .all)
        guard facts.placeholder == nil, let variants else { return }
        facts.placeholder = try await variants.placeholder(of: record.hash, facts) { data }
        if facts.placeholder != nil { await caches.cold.keep(facts, of: record.hash) }
    }
}

extension FetchBudget {
    /// - Returns: nil when the time is spent.
    fileprivate static func unlessSpent<Result: Sendable>(
        _ time: Duration, _ clock: any MonotonicClock, _ body: @escaping @Sendable () async throws -> Result?
    ) async throws -> Result? {
        do {
            return try await run(within: time, on: clock, body)
        } catch is Spent {
            return nil
        }
    }
}

extension Variant {
    fileprivate init?(of original: ContentHash, _ wanted: ImageLoader.WantedVariant, contentType: String) {
        self.init(of: original, contentType: contentType, width: wanted.width, acceptsWebP: wanted.acceptsWebP)
    }
}
