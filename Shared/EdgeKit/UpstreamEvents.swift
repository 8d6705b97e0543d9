import Logging
import NIOCore
import RPC
import Synchronization
import Timing
import Upstream

/// Follows the events of an upstream, so that an edge knows which of its answers are current. Without them it asks for each answer.
public struct UpstreamEvents: Sendable {
    private let url: String
    private let get: @Sendable (UpstreamRequest) async throws -> UpstreamResponse
    private let monitor: UpstreamMonitor
    private let logger: Logger
    private let onState: @Sendable (State) -> Void

    /// What the upstream tells.
    public enum State: Equatable, Sendable {
        case event(ServerSentEvents.Event)
        /// All events so far were told.
        case complete
        /// Events that were not told cannot be told any more.
        case restarted
        /// Events may be missing until `complete`.
        case lost
    }

    /// The shortest pause before the events are asked for again.
    static let pause = Duration.milliseconds(50)

    /// The pause before an upstream that has no events is asked for them again.
    static let longPause = Duration.seconds(300)

    /// The limits of the client: those of other requests, but that the answer goes on for ever. The upstream sends at least a comment
    /// every 5 s.
    public static func limits(_ limits: UpstreamLimits) -> UpstreamLimits {
        var limits = limits
        limits.stallTime = .seconds(12)
        limits.totalTime = .seconds(86_400)
        limits.bodyBytes = .max
        return limits
    }

    /// - Parameters:
    ///   - url: of the events.
    ///   - get: sends a request, by a client with `limits`.
    ///   - monitor: is told that the upstream is heard. That it has no events is no failure.
    ///   - onState: called in order.
    public init(
        _ url: String, _ monitor: UpstreamMonitor, logger: Logger,
        get: @escaping @Sendable (UpstreamRequest) async throws -> UpstreamResponse,
        onState: @escaping @Sendable (State) -> Void
    ) {
        self.url = url
        self.get = get
        self.monitor = monitor
        self.logger = logger
        self.onState = onState
    }

    /// Follows the events until the task is cancelled.
    public func run() async {
        var (lastID, backoff, isReported) = (String?.none, Backoff(), false)
        while !Task.isCancelled {
            if lastID == nil { onState(.restarted) }
            let reading = Reading(after: lastID, onState)
            let end = await follow(reading, after: lastID)
            onState(.lost)
            if reading.isComplete { backoff.reset() }
            lastID = reading.lastID
            // An upstream that cannot be reached has a line of its monitor.
            if end.isAbsent, !isReported {
                logger.info("the upstream has no events, so it is asked for each answer: \(end.reason)")
            }
            isReported = end.isAbsent
            // `sleep` throws only on cancellation, and the loop condition handles that.
            try? await monitor.clock.sleep(for: end.isAbsent ? Self.longPause : max(backoff.next(), Self.pause))
        }
    }

    /// Why the events have ended, and whether the upstream has none.
    private typealias End = (reason: String, isAbsent: Bool)

    private func follow(_ reading: Reading, after lastID: String?) async -> End {
        var request = UpstreamRequest(
            url: url, headers: ["Accept": Reading.mediaType], acceptsCompression: false,
            stream: UpstreamStream(mediaType: Reading.mediaType) { bytes in
                monitor.heard()
                reading.receive(bytes)
            })
        if let lastID { request.headers.add("Last-Event-ID", lastID) }
        do {
            let response = try await get(request)
            if reading.hasBegun { return ("the upstream has closed the connection", false) }
            return ("status \(response.status), and no events", (400..<500).contains(response.status))
        } catch {
            return ("\(error)", false)
        }
    }
}

extension UpstreamEvents.State {
    fileprivate init(_ event: ServerSentEvents.Event) {
        switch event.name {
        case "interrupted": self = .lost
        case "" where event.data.isEmpty: self = .complete
        default: self = .event(event)
        }
    }
}

/// The events of one answer. It is received on the client's event loop.
private final class Reading: Sendable {
    static let mediaType = "text/event-stream"

    private struct State {
        var parser: ServerSentEvents
        var hasBegun = false
        var isComplete = false
        var isOver = false
    }

    private let state: Mutex<State>
    private let onState: @Sendable (UpstreamEvents.State) -> Void

    init(after lastID: String?, _ onState: @escaping @Sendable (UpstreamEvents.State) -> Void) {
        state = Mutex(State(parser: ServerSentEvents(after: lastID)))
        self.onState = onState
    }

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    var isComplete: Bool { state.withLock { $0.isComplete } }

    var lastID: String? { state.withLock { $0.isOver ? nil : $0.parser.lastID } }

    func receive(_ bytes: ByteBuffer) {
        let told = state.withLock { state -> [UpstreamEvents.State] in
            state.hasBegun = true
            guard !state.isOver else { return [] }
            do {
                let told = try state.parser.receive(bytes).map(UpstreamEvents.State.init)
                if told.contains(.complete) { state.isComplete = true }
                return told
            } catch {
                state.isOver = true
                return [.lost]
            }
        }
        for state in told { onState(state) }
    }
}
