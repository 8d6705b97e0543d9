import Foundation
import ImageData
import ImageDataContract
import RPC
import Upstream

/// Contract in, feature out, for a service that reads from an upstream.
struct EdgeImageDataHandlers {
    let loader: ImageLoader

    var table: MethodTable {
        var table = MethodTable(ImageDataContract.contract)
        table.handle(ImageDataContract.load) { params, context in
            guard let strategy = params.loaderStrategy else {
                throw RPCError(
                    .invalidParams,
                    "params.strategy: cache_then_load is a stream of two answers, to be called with meta.stream")
            }
            return try await answering {
                guard let answer = try await loader.load(ImageLoader.Request(params, strategy, context)) else {
                    throw RPCError(.notFound, "no bytes that are good are kept for \(params.url)")
                }
                return LoadedImage(answer)
            }
        }
        table.handle(ImageDataContract.loadStream) { params, context, answers in
            try await answering {
                var request = ImageLoader.Request(params, params.loaderStrategy ?? .reload, context)
                if params.strategy == .cacheThenLoad, let kept = try await loader.kept(request) {
                    try await answers.send(LoadedImage(kept))
                    // What was sent is what there is when the origin is not reached.
                    request.strategy = .reload
                }
                guard let answer = try await loader.load(request) else {
                    throw RPCError(.notFound, "no bytes that are good are kept for \(params.url)")
                }
                try await answers.send(LoadedImage(answer))
            }
        }
        table.handle(ImageDataContract.prefetch) { params, _ in
            try await answering { Prefetched(accepted: try await loader.prefetch(params.urls)) }
        }
        table.handle(ImageDataContract.put) { _, _ in
            throw RPCError(.readOnly, "this service reads from an upstream: put bytes there", begun: false)
        }
        table.handle(ImageDataContract.stat) { params, _ in
            guard let (known, place) = await loader.caches.record(at: params.url, in: .all) else {
                throw RPCError(.notFound, "no bytes are kept for \(params.url)")
            }
            return ImageMetadata(known.record, source: place == .hot ? .hot : .cold)
        }
        table.handle(ImageDataContract.evict) { params, _ in
            EvictedImages(try await loader.caches.evict(Eviction(params, now: loader.now())))
        }
        return table
    }

    /// The feature's errors as the contract has them.
    private func answering<Answer>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch let error as ImageOriginError {
            throw error.rpcError
        } catch is ImageFetches.TooManyWaiting {
            throw RPCError(.overloaded, "too many pictures wait to be fetched", begun: false, retryAfter: 1_000)
        } catch is FetchBudget.Spent {
            throw RPCError(.connectivity, "the origin took too long")
        }
    }
}

extension LoadImage {
    /// Nil for what is no single answer.
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
            room: context.room)
    }
}

extension LoadedImage {
    fileprivate init(_ answer: ImageLoader.Answer) {
        let source: ImageMetadata.Source =
            switch answer.source {
            case .hot: .hot
            case .cold: .cold
            case .remote: .remote
            }
        self.init(
            data: Bytes(answer.image.data, crc32: answer.image.record.crc32),
            metadata: ImageMetadata(answer.image.record, source: source), stale: answer.isStale ? true : nil)
    }
}
