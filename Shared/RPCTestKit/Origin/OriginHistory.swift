import Synchronization

/// What has happened at an `OriginServer` so far.
public final class OriginHistory: Sendable {
    /// Something that happened to the connection of this number.
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

    /// All that came, in order.
    public var requests: [OriginRequest] { state.withLock(\.requests) }

    /// All that happened, in order.
    public var events: [Event] { state.withLock(\.events) }

    /// How many connections have come.
    public var connections: Int { state.withLock(\.opened) }

    /// How many of them are open.
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

    /// Waits until it is as `isSo` says; for ever, if that never comes.
    public func wait(until isSo: @Sendable (OriginHistory) -> Bool) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.watchers.append(continuation) }
        if isSo(self) { return }
        for await _ in changes where isSo(self) { return }
    }

    /// Waits until something has happened.
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
