import NIOCore
import RPC
import Timing

/// Runs concurrent requests for the same key once and gives the result to all callers.
///
/// The work runs in a task of `run()`, not in the first caller's task. So a cancelled caller does not affect the others, and
/// the work is cancelled only when its last caller is.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, any Error>

    private struct Flight {
        let key: Key
        let begun: NIODeadline

        /// Finished to cancel the flight when it has no callers left.
        let abandon: AsyncStream<Void>.Continuation
        var waiting: [Int: UnsafeContinuation<Outcome, Never>] = [:]
    }

    private struct State: Sendable {
        var flights: [Int: Flight] = [:]

        /// The flights that new callers may join.
        var current: [Key: Int] = [:]

        /// The flight that each caller waits for.
        var flightOfCaller: [Int: Int] = [:]
        var lastNumber = 0
        var isOver = false

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func take(_ number: Int) -> Flight? {
            guard let flight = flights.removeValue(forKey: number) else { return nil }
            if current[flight.key] == number { current[flight.key] = nil }
            for caller in flight.waiting.keys { flightOfCaller[caller] = nil }
            return flight
        }

        func waiting(for key: Key) -> Int { flights.values.reduce(0) { $0 + ($1.key == key ? $1.waiting.count : 0) } }
    }

    private let joinTime: TimeAmount
    private let clock: any MonotonicClock
    private let state = Watched(State())
    private let (starts, start) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)

    /// - Parameter joinTime: the maximum age of a flight that a new caller joins. Its result may be as old as its start.
    public init(joinTime: Duration = .seconds(1), clock: any MonotonicClock = .system) {
        self.joinTime = TimeAmount(joinTime)
        self.clock = clock
    }

    /// Runs the work until the task is cancelled. Callers wait until this runs.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for await start in starts { group.addTask { await start() } }
            group.cancelAll()
        }
        let left = state.withLock { state in
            state.isOver = true
            defer { state.flights = [:] }
            return state.flights.values.flatMap(\.waiting.values)
        }
        for waiting in left { waiting.resume(returning: .failure(CancellationError())) }
    }

    /// Runs the work, or joins a flight with the same key.
    /// - Parameters:
    ///   - key: identifies the value.
    ///   - work: loads the value.
    /// - Throws: the error of `work`, to all its callers; `CancellationError` to a caller that is cancelled.
    public func value(of key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let caller = state.withLock { $0.number() }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { join(key, caller, $0, work) }
        } onCancel: {
            leave(caller)
        }
        return try outcome.get()
    }

    /// The number of callers that wait for the key.
    package func waiting(for key: Key) -> Int { state.withLock { $0.waiting(for: key) } }

    /// Returns once the number of callers that wait for the key fulfils the condition.
    package func wait(for key: Key, until isSo: @escaping @Sendable (_ callers: Int) -> Bool) async {
        await state.wait { isSo($0.waiting(for: key)) }
    }

    private func join(
        _ key: Key, _ caller: Int, _ continuation: UnsafeContinuation<Outcome, Never>,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        let now = clock.now
        // The work runs with the trace of the first caller.
        let trace = TraceContext.current
        let isOver = state.withLock { state in
            guard !state.isOver, !Task.isCancelled else { return true }
            if let number = state.current[key], let flight = state.flights[number], now - flight.begun <= joinTime {
                state.flights[number]?.waiting[caller] = continuation
                state.flightOfCaller[caller] = number
                return false
            }
            let (abandoned, abandon) = AsyncStream.makeStream(of: Void.self)
            let number = state.number()
            state.flights[number] = Flight(key: key, begun: now, abandon: abandon, waiting: [caller: continuation])
            state.current[key] = number
            state.flightOfCaller[caller] = number
            start.yield {
                await TraceContext.$current.withValue(trace) { await self.fly(number, until: abandoned, work) }
            }
            return false
        }
        if isOver { continuation.resume(returning: .failure(CancellationError())) }
    }

    private func leave(_ caller: Int) {
        let (left, abandoned) =
            state.withLock { state in
                guard let number = state.flightOfCaller.removeValue(forKey: caller) else { return (nil, nil) }
                let left = state.flights[number]?.waiting.removeValue(forKey: caller)
                return (left, state.flights[number]?.waiting.isEmpty == true ? state.take(number) : nil)
            } as (UnsafeContinuation<Outcome, Never>?, Flight?)
        left?.resume(returning: .failure(CancellationError()))
        abandoned?.abandon.finish()
    }

    private func fly(
        _ number: Int, until abandoned: AsyncStream<Void>, _ work: @escaping @Sendable () async throws -> Value
    ) async {
        let outcome = await Outcome(of: work, until: abandoned)
        let flight = state.withLock { $0.take(number) }
        for waiting in flight?.waiting.values ?? [:].values { waiting.resume(returning: outcome) }
    }
}
