import EdgeKit
import EdgeModel
import Foundation
import ImageData
import ImageDataContract
import RPC

/// Implements the image data contract.
struct ImageDataHandlers {
    let loader: ImageLoader
    let mapper: ImageDataMapper

    /// Checks whether a URL may be fetched; nil for a service with `--no-fetch`.
    let check: (@Sendable (_ url: String) async throws -> Void)?

    var finder = FactsFinder()

    /// Called when bytes that were put fail their checksum.
    let onDamage: @Sendable (_ url: String, TraceContext) -> Void

    var table: MethodTable {
        var table = MethodTable(ImageDataContract.contract)
        addLoading(to: &table)
        addAuthoring(to: &table)
        table.handle(ImageDataContract.stat) { params, _ in
            guard let (record, place) = try await loader.caches.record(at: params.url) else {
                throw RPCError(.notFound, "no bytes are stored for \(params.url)")
            }
            let hints = await loader.caches.cold.facts(of: record.hash)?.hints ?? PictureHints()
            return ImageMetadata(record, source: place == .hot ? .hot : .cold, hints: hints)
        }
        table.handle(ImageDataContract.facts) { params, _ in
            var found: [String: PictureHints] = [:]
            let stored = try await loader.storedFacts(at: params.urls)
            for url in params.urls {
                guard let (facts, canBeCompleted) = stored[url] else { continue }
                found[url] = facts?.hints
                if canBeCompleted { finder.find(url) }
            }
            return ImageFacts(facts: found)
        }
        table.handle(ImageDataContract.evict) { params, _ in
            EvictedImages(try await loader.evict(Eviction(params, now: loader.now())))
        }
        return table
    }

    // MARK: Loading

    private func addLoading(to table: inout MethodTable) {
        table.handle(ImageDataContract.load) { params, context in
            guard let strategy = params.loaderStrategy else {
                throw RPCError(
                    .invalidParams,
                    "params.strategy: cache_then_load answers with a stream; call it with meta.stream")
            }
            return try await answering(context.trace) {
                try await load(ImageLoader.Request(params, strategy, context), context)
            }
        }
        table.handle(ImageDataContract.loadStream) { params, context, answers in
            try await answering(context.trace) {
                var request = ImageLoader.Request(params, params.loaderStrategy ?? .cacheElseLoad, context)
                if params.strategy == .cacheThenLoad, let kept = try await loader.kept(request) {
                    let first = try await loader.variant(of: kept, request)
                    try await answers.send(LoadedImage(first, whenThereIs: context.room))
                    // Bytes that were put are final, and a service with `--no-fetch` cannot fetch: there is no second
                    // answer.
                    guard kept.expiry != nil, loader.fetches != nil else { return }
                    // `.reload` fails when the origin is not reached; the stored image was sent before.
                    request.strategy = .reload
                }
                try await answers.send(load(request, context))
            }
        }
        table.handle(ImageDataContract.prefetch) { params, context in
            try await answering(context.trace) { Prefetched(accepted: try await loader.prefetch(params.urls)) }
        }
    }

    private func load(_ request: ImageLoader.Request, _ context: CallContext) async throws -> LoadedImage {
        guard let answer = try await loader.load(request) else {
            throw RPCError(.notFound, "no valid bytes are stored for \(request.url)")
        }
        return try await LoadedImage(answer, whenThereIs: context.room)
    }

    // MARK: Authoring

    private func addAuthoring(to table: inout MethodTable) {
        table.handle(ImageDataContract.put) { params, context in
            let pinned = try pinned
            return try await answering(context.trace) {
                let (image, info) = try await offLoop {
                    let inspected = try mapper.map(params.data.data)
                    return (StoredImage(inspected, crc32: params.data.crc32, storedAt: loader.now()), inspected.info)
                }
                let url = params.url ?? image.record.hash.urn
                try image.record.mustBeNameable(url)
                if params.isTrial {
                    return PutAnswer(url: url, sha256: image.record.hash.hex, hints: PictureFacts(info).hints)
                }
                try await loader.put(image, at: url, into: pinned)
                let hints = try await loader.hints(of: image, info, defersPlaceholder: params.defersPlaceholder)
                return PutAnswer(url: url, sha256: image.record.hash.hex, hints: hints)
            }
        }
        table.handle(ImageDataContract.check) { params, context in
            _ = try pinned
            return try await answering(context.trace) {
                if try await !loader.cached(among: [params.url]).isEmpty { return CheckedImage(availability: .kept) }
                guard let check else { return CheckedImage(availability: .absent) }
                try await check(params.url)
                return CheckedImage(availability: .fetched)
            }
        }
    }

    /// - Throws: `read_only` for a service with an upstream.
    private var pinned: any ImageStore {
        get throws(RPCError) {
            guard let pinned = loader.caches.pinned else {
                throw RPCError(
                    .readOnly, "this deployment is a read-only edge; put bytes at its upstream", begun: false)
            }
            return pinned
        }
    }

    /// Runs work of several milliseconds, like inspecting and hashing an image, without blocking the event loop.
    private func offLoop<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { try body() }
    }

    // MARK: Errors

    /// Maps the feature's errors to those of the contract.
    private func answering<Answer>(
        _ trace: TraceContext, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch let rejection as ImageDataRejection {
            throw rejection.rpcError
        } catch let error as ImageOriginError {
            throw error.rpcError
        } catch is ImageFetches.TooManyWaiting {
            throw RPCError(.overloaded, "too many fetches are queued", begun: false, retryAfter: 1_000)
        } catch is FetchBudget.Spent {
            throw RPCError(.connectivity, "the origin server took too long")
        } catch ImageStoreError.conflict(let url) {
            throw RPCError(.alreadyExists, "\(url) has other bytes; nothing was written")
        } catch ImageStoreError.damaged(let url) {
            onDamage(url, trace)
            throw RPCError(
                .dataLoss, "the bytes of \(url) fail their checksum; put them again, or evict them")
        }
    }
}

extension ImageRecord {
    fileprivate func mustBeNameable(_ url: String) throws(RPCError) {
        guard !hash.canBeNamed(url) else { return }
        throw RPCError(.invalidParams, "params.url: these bytes are \(hash.urn)")
    }
}

extension LoadImage {
    /// Nil for a strategy with more than one answer.
    fileprivate var loaderStrategy: ImageLoader.Strategy? {
        switch strategy ?? .cacheElseLoad {
        case .cacheElseLoad: .cacheElseLoad
        case .reload: .reload
        case .cacheOnly: .cacheOnly
        case .cacheThenLoad: nil
        }
    }

    fileprivate var tiers: ImageTiers {
        switch policy ?? .hotOrCold {
        case .none: []
        case .cold: .cold
        case .hot: .hot
        case .hotOrCold: .all
        }
    }
}

extension ImageLoader.Request {
    fileprivate init(_ params: LoadImage, _ strategy: ImageLoader.Strategy, _ context: CallContext) {
        self.init(
            url: params.url, tiers: params.tiers, strategy: strategy, timeToLive: params.timeToLive,
            priority: context.priority == .visible ? .visible : .prefetch, deadline: context.deadline,
            room: context.room,
            variant: params.width.map {
                ImageLoader.WantedVariant(width: $0, acceptsWebP: params.accept?.contains(.webp) == true)
            })
    }
}

extension LoadedImage {
    /// Waits until the connection can send an answer, then builds it: a connection with too much unsent data is closed.
    fileprivate init(_ answer: ImageLoader.Answer, whenThereIs room: AnswerRoom) async throws {
        // No other code runs on the event loop between this check and the answer.
        while await !room.isThere { try await room.wait() }
        let source: ImageMetadata.Source =
            switch answer.source {
            case .hot: .hot
            case .cold: .cold
            case .remote: .remote
            }
        self.init(
            data: Bytes(answer.image.data, crc32: answer.image.record.crc32),
            metadata: ImageMetadata(answer.image.record, source: source), stale: answer.isStale ? true : nil,
            expiresAt: answer.expiry)
    }
}
