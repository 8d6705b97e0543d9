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
                let image = try await offLoop {
                    StoredImage(try mapper.map(params.data.data), crc32: params.data.crc32, storedAt: now())
                }
                let url = params.url ?? image.record.hash.urn
                try image.record.mustBeNameable(url)
                try await store.put(image, at: url)
                return PutAnswer(url: url, sha256: image.record.hash.hex)
            }
        }
        table.handle(ImageDataContract.prefetch) { _, _ in
            // What is kept is all there is.
            Prefetched(accepted: 0)
        }
        table.handle(ImageDataContract.stat) { params, _ in
            guard let record = try await store.record(at: params.url) else {
                throw RPCError(.notFound, "no bytes are kept for \(params.url)")
            }
            return ImageMetadata(record, source: .cold)
        }
        table.handle(ImageDataContract.evict) { params, _ in
            EvictedImages(try await store.evict(Eviction(params, now: now())))
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
        } catch let rejection as ImageDataRejection {
            throw rejection.rpcError
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
            .invalidParams, "params.strategy: cache_then_load is for services that read from an upstream")
    }
}

extension ImageRecord {
    fileprivate func mustBeNameable(_ url: String) throws(RPCError) {
        guard !hash.canBeNamed(url) else { return }
        throw RPCError(.invalidParams, "params.url: these bytes are \(hash.urn)")
    }
}

extension LoadedImage {
    fileprivate init(_ image: StoredImage) {
        self.init(
            data: Bytes(image.data, crc32: image.record.crc32), metadata: ImageMetadata(image.record, source: .cold))
    }
}
