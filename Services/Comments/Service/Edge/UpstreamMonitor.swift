import Comments
import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization

/// Keeps what `rpc.health` tells about the upstream, and logs a change of its state once.
final class UpstreamMonitor: Sendable {
    private struct State {
        var failure: String?
        var since: Date

        /// Images whose failure has been logged and has not ended: one that always fails, while others do not, is one line.
        var logged: Set<UUID> = []
    }

    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// How many images with failures are remembered.
    static let rememberedImages = 1_000

    init(logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        self.logger = logger
        self.now = now
        state = Mutex(State(since: now()))
    }

    var check: Health.Check {
        state.withLock { state in
            Health.Check(
                name: "upstream", status: state.failure == nil ? .serving : .degraded, detail: state.failure,
                since: state.since)
        }
    }

    /// Runs something that asks the upstream.
    func watching<Result: Sendable>(
        _ imageID: UUID, _ trace: TraceContext, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            noteSuccess(imageID, trace)
            return result
        } catch let failure as RemoteFailure {
            switch failure {
            // An answer like another.
            case .notFound: noteSuccess(imageID, trace)
            case .late(let time) where !FetchBudget.isFair(time): break
            case .late(let time): note("it has not answered within \(time)", imageID, trace)
            case .unreachable(let reason): note(reason, imageID, trace)
            case .rejected(let reason): note("its answer is not what it should be: \(reason)", imageID, trace)
            }
            throw failure
        }
    }

    private func note(_ failure: String, _ imageID: UUID, _ trace: TraceContext) {
        let isNew = state.withLock { state in
            guard state.failure == nil, !state.logged.contains(imageID) else { return false }
            if state.logged.count == Self.rememberedImages { state.logged.removeAll() }
            state.logged.insert(imageID)
            (state.failure, state.since) = (failure, now())
            return true
        }
        guard isNew else { return }
        logger.error(
            "the upstream has no comments of \(imageID) for us, serving what is kept: \(failure)",
            metadata: trace.metadata)
    }

    private func noteSuccess(_ imageID: UUID, _ trace: TraceContext) {
        let isNew = state.withLock { state in
            state.logged.remove(imageID)
            guard state.failure != nil else { return false }
            (state.failure, state.since) = (nil, now())
            return true
        }
        if isNew { logger.notice("the upstream answers again", metadata: trace.metadata) }
    }
}
