import EdgeModel
import Foundation
import ImageData
import Logging
import RPC
import Processes
import ServiceKit
import Synchronization
import Timing

/// Makes variants and placeholders: each once, however many callers wait, and few at a time. When the last caller is cancelled,
/// the process is killed. Failures are no errors: the caller serves the original.
final class VariantMaker: Sendable {
    /// Reads the original's bytes. Called when a process can start, so that waiting callers hold none.
    typealias Source = @Sendable () async throws -> Data?

    /// The number of pictures that fail in a row before the program itself is tested.
    static let failuresInARow = 3

    /// Callers share the making of a variant only if it is kept in the same places.
    struct VariantJob: Hashable {
        let variant: Variant
        let tiers: ImageTiers
    }

    private enum Refusal: Hashable {
        /// The program cannot read the picture, or reads another one than browsers.
        case original(ContentHash)
        /// The variant is not smaller than the original, or has other colours.
        case variant(Variant)
    }

    private struct State {
        var refused = RecentRefusals<Refusal>()
        var failures = 0
        var since: Date
        var trouble: String?
    }

    private let thumbnailer: Thumbnailer?
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let clock: any MonotonicClock

    /// The maximum number of processes at a time: making pictures must not take all processors from serving them.
    private static let processes = 2

    /// The maximum number of callers that wait for a process; others get the original.
    private static let waitingLimit = 64

    let slots = TaskSemaphore(permits: processes, waitingLimit: waitingLimit)
    private let state: Mutex<State>

    // A product depends on bytes that never change, so a flight can be joined at any age.
    let variants: SingleFlight<VariantJob, StoredImage>
    private let placeholders: SingleFlight<ContentHash, Placeholder>

    /// - Parameter thumbnailer: nil when the program is missing.
    init(
        _ thumbnailer: Thumbnailer?, logger: Logger, now: @escaping @Sendable () -> Date,
        clock: any MonotonicClock = .system
    ) {
        self.thumbnailer = thumbnailer
        self.logger = logger
        self.now = now
        self.clock = clock
        variants = SingleFlight(joinTime: .seconds(3_600), clock: clock)
        placeholders = SingleFlight(joinTime: .seconds(3_600), clock: clock)
        state = Mutex(State(since: now(), trouble: thumbnailer == nil ? Self.missing : nil))
    }

    private static let missing =
        "pictures are served in full size only: there is no vipsthumbnail on the PATH; install libvips-tools and restart"

    /// Whether variants can be made.
    var canMake: Bool { thumbnailer != nil }

    var check: Health.Check {
        state.withLock { state in
            Health.Check(
                name: "variants", status: state.trouble == nil ? .serving : .degraded, detail: state.trouble,
                since: state.since)
        }
    }

    /// Makes variants and placeholders until the task is cancelled.
    func run() async {
        async let variants: Void = variants.run()
        await placeholders.run()
        await variants
    }

    // MARK: Making

    /// Makes a variant and keeps it. It is made once: callers join until it is kept, and later ones find it.
    /// - Parameter original: the record of the original, whose time and age are the variant's.
    /// - Returns: nil when the original is to be served.
    func variant(
        _ variant: Variant, of original: ImageRecord, on shelf: VariantShelf, from source: @escaping Source
    ) async throws -> StoredImage? {
        guard !isRefused(.variant(variant)) else { return nil }
        let image = try await unlessFailed(variant.original) { thumbnailer in
            try await self.variants.value(of: VariantJob(variant: variant, tiers: shelf.tiers)) {
                // An earlier flight may have ended since the caller searched the shelf.
                if let found = await shelf.variant(variant, of: original) { return found.image }
                let made = try await self.run(thumbnailer, on: variant.original, for: variant) {
                    guard let bytes = try await source() else { throw Vanished() }
                    let data = try await thumbnailer.variant(
                        of: bytes, width: variant.width, format: variant.format, maximumBytes: bytes.count - 1)
                    guard let image = try? ImageDataMapper(maximumBytes: bytes.count).map(data),
                        image.contentType == variant.format.contentType
                    else { throw LimitedProcess.Failure.failed(code: 0, "its output is not a complete picture") }
                    return StoredImage(image, storedAt: original.storedAt)
                }
                await shelf.keep(made, as: variant)
                return made
            }
        }
        return image?.stored(as: original)
    }

    /// - Returns: nil when it cannot be made.
    func placeholder(
        of original: ContentHash, _ facts: PictureFacts, from source: @escaping Source
    ) async throws -> Placeholder? {
        try await unlessFailed(original) { thumbnailer in
            try await self.placeholders.value(of: original) {
                try await self.run(thumbnailer, on: original) {
                    guard let data = try await source() else { throw Vanished() }
                    return try await thumbnailer.placeholder(of: data, facts)
                }
            }
        }
    }

    /// - Returns: nil when nothing can be made of the original for now.
    private func unlessFailed<Product>(
        _ original: ContentHash, _ make: (Thumbnailer) async throws -> Product
    ) async throws -> Product? {
        guard let thumbnailer, !isRefused(.original(original)) else { return nil }
        do {
            return try await make(thumbnailer)
        } catch is LimitedProcess.Failure, is TaskSemaphore.Full, is Vanished, is Thumbnailer.LooksDifferent {
            return nil
        }
    }

    /// Runs the program when a slot is free, and notes whether it succeeds.
    private func run<Product: Sendable>(
        _ thumbnailer: Thumbnailer, on original: ContentHash, for variant: Variant? = nil,
        _ make: @escaping @Sendable () async throws -> Product
    ) async throws -> Product {
        try await slots.withPermit {
            do {
                let product = try await make()
                self.succeeded()
                return product
            } catch let failure as LimitedProcess.Failure {
                await self.note(failure, original, variant, thumbnailer)
                throw failure
            } catch let error as Thumbnailer.LooksDifferent {
                self.refuse(variant.map(Refusal.variant) ?? .original(original))
                throw error
            }
        }
    }

    /// The original was evicted in the meantime.
    private struct Vanished: Error {}

    // MARK: Failing

    private func isRefused(_ refusal: Refusal) -> Bool {
        state.withLock { $0.refused.contains(refusal, at: clock.now) }
    }

    /// Whether a variant can be made, as far as it is known.
    func canMake(_ variant: Variant) -> Bool { !isRefused(variant.original) && !isRefused(.variant(variant)) }

    /// Whether no placeholder can be made of this picture for now.
    func isRefused(_ original: ContentHash) -> Bool { thumbnailer == nil || isRefused(.original(original)) }

    private func succeeded() {
        let wasInTrouble = state.withLock { state in
            state.failures = 0
            guard state.trouble != nil else { return false }
            (state.trouble, state.since) = (nil, now())
            return true
        }
        if wasInTrouble { logger.notice("variants are made again") }
    }

    private func refuse(_ refusal: Refusal) {
        state.withLock { $0.refused.insert(refusal, at: clock.now) }
    }

    private func note(
        _ failure: LimitedProcess.Failure, _ original: ContentHash, _ variant: Variant?, _ thumbnailer: Thumbnailer
    ) async {
        if case .tooMuchOutput = failure, let variant { return refuse(.variant(variant)) }
        if case .notStarted = failure { return failed(failure) }
        logger.warning("no variants of \(original.urn): \(failure)")
        let failures = state.withLock { state in
            state.refused.insert(.original(original), at: clock.now)
            state.failures += 1
            return state.failures
        }
        // Many pictures may be unreadable, so the program is tried on one that is not.
        guard failures % Self.failuresInARow == 0, await !thumbnailer.works(), !Task.isCancelled else { return }
        failed(failure)
    }

    private func failed(_ failure: LimitedProcess.Failure) {
        let trouble =
            "pictures are served in full size only: vipsthumbnail fails: \(failure); reinstall libvips-tools, or set --variants"
        let isNew = state.withLock { state in
            guard state.trouble == nil else { return false }
            (state.trouble, state.since) = (trouble, now())
            return true
        }
        if isNew { logger.error("\(trouble)") }
    }
}
