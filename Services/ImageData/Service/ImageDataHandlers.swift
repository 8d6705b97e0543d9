import Foundation
import ImageData
import ImageDataContract
import RPC

/// Contract in, feature out: every method is a few lines from its parameters to its answer.
struct ImageDataHandlers {
    let mapper: ImageDataMapper
    let store: any ImageStore
    let reads = LargeReads()
    let now: @Sendable () -> Date

    /// Told when kept bytes fail their checksum.
    let onDamage: @Sendable (_ url: String, TraceContext) -> Void

    var table: MethodTable {
        var table = MethodTable(ImageDataContract.contract)
        table.handle(ImageDataContract.load) { params, context in
            try params.mustBeSingleAnswer()
            return try await answering(context.trace) {
                let image = try await reads.run(context.room) {
                    try await store.image(at: params.url)
                }
                guard let image else {
                    throw RPCError(.notFound, "no bytes are kept for \(params.url)")
                }
                return LoadedImage(image)
            }
        }
        table.handle(ImageDataContract.put) { params, context in
            try await answering(context.trace) {
                let image = try await offLoop { try StoredImage(params.data, mapper, now: now()) }
                let url = params.url ?? image.record.hash.urn
                try image.record.mustBeNameable(url)
                try await store.put(image, at: url)
                return PutAnswer(url: url, sha256: image.record.hash.hex)
            }
        }
        table.handle(ImageDataContract.stat) { params, _ in
            guard let record = try await store.record(at: params.url) else {
                throw RPCError(.notFound, "no bytes are kept for \(params.url)")
            }
            return ImageMetadata(record)
        }
        table.handle(ImageDataContract.evict) { params, _ in
            let eviction = Eviction(params, now: now())
            return EvictedImages(try await store.evict(eviction))
        }
        return table
    }

    /// Inspecting and hashing an image takes milliseconds, in which the event loop would answer nobody.
    private func offLoop<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try body() }
    }

    /// The feature's errors as the contract has them.
    private func answering<Answer>(
        _ trace: TraceContext, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch ImageDataRejection.tooLarge(let size, let limit) {
            throw RPCError(.tooLarge, "the image has \(size) bytes, the limit is \(limit)")
        } catch ImageDataRejection.notAnImage(let rejection) {
            throw RPCError(.invalidData, "refused: \(rejection.reason)")
        } catch ImageStoreError.conflict(let url) {
            throw RPCError(.alreadyExists, "other bytes are kept for \(url); nothing was written")
        } catch ImageStoreError.damaged(let url) {
            onDamage(url, trace)
            throw RPCError(
                .dataLoss, "the bytes kept for \(url) fail their checksum; put them again, or evict them")
        }
    }
}

extension LoadImage {
    fileprivate func mustBeSingleAnswer() throws(RPCError) {
        guard strategy == .cacheThenLoad else { return }
        throw RPCError(
            .invalidParams, "params.strategy: cache_then_load is a stream of two answers, which is not built yet")
    }
}

extension ImageRecord {
    fileprivate func mustBeNameable(_ url: String) throws(RPCError) {
        guard !hash.canBeNamed(url) else { return }
        throw RPCError(.invalidParams, "params.url: these bytes are \(hash.urn)")
    }
}

extension StoredImage {
    fileprivate init(_ bytes: Bytes, _ mapper: ImageDataMapper, now: Date) throws(ImageDataRejection) {
        let image = try mapper.map(bytes.data)
        self.init(
            record: ImageRecord(
                contentType: image.contentType, size: image.data.count, hash: ContentHash(of: image.data),
                crc32: bytes.crc32, storedAt: now),
            data: image.data)
    }
}

extension LoadedImage {
    fileprivate init(_ image: StoredImage) {
        self.init(data: Bytes(image.data, crc32: image.record.crc32), metadata: ImageMetadata(image.record))
    }
}

extension ImageMetadata {
    fileprivate init(_ record: ImageRecord) {
        self.init(
            contentType: record.contentType, size: record.size, sha256: record.hash.hex, source: .cold,
            storedAt: record.storedAt)
    }
}

extension Eviction {
    fileprivate init(_ params: EvictImages, now: Date) {
        switch params {
        case .urls(let urls): self = .urls(urls)
        case .olderThan(let seconds): self = .older(than: seconds, now: now)
        case .toBytes(let bytes): self = .downTo(bytes: bytes)
        }
    }
}

extension EvictedImages {
    fileprivate init(_ evicted: Evicted) { self.init(count: evicted.urls, bytes: evicted.bytes) }
}
