import NIOCore
import RPC
import Synchronization
import Timing

/// Which cached answers are still the upstream's, according to its events: an answer is current from its request on until an event
/// names it. Such an answer needs no request, however many readers ask for it.
public final class CurrentAnswers<Key: Hashable & Sendable>: Sendable {
    private enum Entry {
        /// The upstream was asked, and has not changed the answer since then.
        case asked(Int)
        case current(until: NIODeadline)
    }

    /// Two generations: when the younger one is full, the older one is evicted.
    private struct State {
        /// Whether all events so far are known.
        var isFollowed = false
        var lastAsk = 0
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]

        subscript(key: Key) -> Entry? {
            get { young[key] ?? old[key] }
            set {
                old[key] = nil
                if young[key] == nil, young.count >= CurrentAnswers.maximumCount / 2 { (old, young) = (young, [:]) }
                young[key] = newValue
            }
        }
    }

    /// The maximum number of answers.
    public static var maximumCount: Int { 10_000 }

    /// For how long an answer is current without another request: what no event tells, such as the size of a picture that is fetched
    /// later, becomes visible after this time.
    public static var time: TimeAmount { .minutes(10) }

    private let clock: any MonotonicClock
    private let state = Mutex(State())

    public init(clock: any MonotonicClock = .system) { self.clock = clock }

    /// For `rpc.stats`: whether the upstream's events are followed.
    public var measures: Measures {
        Measures(gauges: ["upstream_events_followed": state.withLock { $0.isFollowed } ? 1 : 0])
    }

    // MARK: Requests

    public func contains(_ key: Key) -> Bool {
        let now = clock.now
        return state.withLock { state in
            guard state.isFollowed, case .current(let end)? = state[key] else { return false }
            return now < end
        }
    }

    /// Notes that the upstream is asked.
    /// - Returns: for `answered`; nil while the events are not followed.
    public func ask(_ key: Key) -> Int? {
        state.withLock { state in
            guard state.isFollowed else { return nil }
            state.lastAsk += 1
            state[key] = .asked(state.lastAsk)
            return state.lastAsk
        }
    }

    /// Notes that the answer is cached, and that the events tell of its changes.
    /// - Parameter ask: what `ask` has returned.
    public func answered(_ key: Key, _ ask: Int) {
        let end = clock.now + Self.time
        state.withLock { state in
            // An event that came in the meantime may not be in the answer.
            if case .asked(ask)? = state[key] { state[key] = .current(until: end) }
        }
    }

    // MARK: Events

    /// Notes what the upstream's events tell.
    /// - Parameter change: removes what an event names.
    public func note(_ told: UpstreamEvents.State, _ change: (ServerSentEvents.Event) -> Void) {
        switch told {
        case .complete: state.withLock { $0.isFollowed = true }
        case .lost: state.withLock { $0.isFollowed = false }
        case .restarted: removeAll()
        case .event(let event): change(event)
        }
    }

    /// An answer has changed.
    public func remove(_ key: Key) {
        state.withLock { state in
            state.young[key] = nil
            state.old[key] = nil
        }
    }

    /// Answers may have changed.
    public func removeAll(where isChanged: (Key) -> Bool = { _ in true }) {
        state.withLock { state in
            state.young = state.young.filter { !isChanged($0.key) }
            state.old = state.old.filter { !isChanged($0.key) }
        }
    }
}
