import RPC
import Synchronization

/// Does what several want at the same time once for all of them.
///
/// It is done in a task of `run()`, not in that of whoever asks first: one caller's going is not felt by the others, and
/// only when the last has gone it is cancelled.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, any Error>

    private struct Flight {
        let key: Key
        let begun: ContinuousClock.Instant

        /// Ends it, when nobody waits any more.
        let abandon: AsyncStream<Void>.Continuation
        var waiting: [Int: UnsafeContinuation<Outcome, Never>] = [:]
    }

    private struct State {
        var flights: [Int: Flight] = [:]

        /// Those that one may still join.
        var current: [Key: Int] = [:]

        /// For what each caller waits.
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
    }

    private let joinTime: Duration
    private let state = Mutex(State())
    private let (starts, start) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)

    /// - Parameter joinTime: how old something under way may be for another caller: what comes of it is not newer.
    public init(joinTime: Duration = .seconds(1)) { self.joinTime = joinTime }

    /// Does what is asked for, until the task is cancelled. Until it runs, callers wait.
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

    /// - Parameters:
    ///   - key: what is wanted; who wants the same while it is under way gets what comes of it.
    ///   - work: brings it.
    /// - Throws: what `work` throws, to all who wait for it; `CancellationError` to a caller that is cancelled.
    public func value(of key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let caller = state.withLock { $0.number() }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { join(key, caller, $0, work) }
        } onCancel: {
            leave(caller)
        }
        return try outcome.get()
    }

    /// How many wait for what is under way.
    package func waiting(for key: Key) -> Int {
        state.withLock { state in state.flights.values.reduce(0) { $0 + ($1.key == key ? $1.waiting.count : 0) } }
    }

    private func join(
        _ key: Key, _ caller: Int, _ continuation: UnsafeContinuation<Outcome, Never>,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        let now = ContinuousClock.now
        // The request that is served is that of the first.
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
        let outcome = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                do {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await _ in abandoned {}
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? nil
        }
        let flight = state.withLock { $0.take(number) }
        for waiting in flight?.waiting.values ?? [:].values {
            waiting.resume(returning: outcome ?? .failure(CancellationError()))
        }
    }
}
