import Synchronization

/// Records the requests and events of an `OriginServer`.
public final class OriginHistory: Sendable {
    /// An event on the connection with this number.
    public enum Event: Sendable, Equatable {
        case opened(Int)
        case requested(Int, target: String)
        case closed(Int)
    }

    private struct State {
        var events: [Event] = []
        var requests: [OriginRequest] = []
        var opened = 0
        var watchers: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())

    /// All requests, in order of arrival.
    public var requests: [OriginRequest] { state.withLock(\.requests) }

    /// All events, in order.
    public var events: [Event] { state.withLock(\.events) }

    /// The number of accepted connections.
    public var connections: Int { state.withLock(\.opened) }

    /// The number of open connections.
    public var openConnections: Int {
        state.withLock { state in
            state.events.reduce(0) { count, event in
                switch event {
                case .opened: count + 1
                case .closed: count - 1
                case .requested: count
                }
            }
        }
    }

    /// Waits until `isSo` returns true, without a time limit.
    public func wait(until isSo: @Sendable (OriginHistory) -> Bool) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.watchers.append(continuation) }
        if isSo(self) { return }
        for await _ in changes where isSo(self) { return }
    }

    /// Waits until an event is recorded.
    public func wait(for event: Event) async { await wait { $0.events.contains(event) } }

    func open() -> Int {
        note { state in
            state.opened += 1
            state.events.append(.opened(state.opened - 1))
            return state.opened - 1
        }
    }

    func close(_ connection: Int) { note { $0.events.append(.closed(connection)) } }

    func request(_ request: OriginRequest) {
        note {
            $0.requests.append(request)
            $0.events.append(.requested(request.connection, target: request.target))
        }
    }

    private func note<Result: Sendable>(_ change: @Sendable (inout sending State) -> sending Result) -> Result {
        let (result, watchers) = state.withLock { state in (change(&state), state.watchers) }
        for watcher in watchers { watcher.yield() }
        return result
    }
}
