import NIOCore
import Timing

/// Reuses connections to the same origin and limits their number. Requests above the limit wait in a FIFO queue. Runs on the
/// event loop.
final class ConnectionPool {
    /// What a request receives from the pool.
    enum Lease {
        case connection(HTTPConnection)
        /// The right to open a connection. `adopt` uses it, `giveBack` returns it.
        case place
    }

    private struct Idle {
        let connection: HTTPConnection
        let since: NIODeadline
        let timer: Scheduled<Void>
    }

    private struct Party {
        var idle: [Idle] = []
        var waiting: [Waiting<Lease>] = []
        /// The number of open connections and of leased places.
        var places = 0
        var isEmpty: Bool { places == 0 && waiting.isEmpty }
    }

    private let loop: any EventLoop
    private let clock: any MonotonicClock
    private let limits: UpstreamLimits
    private var parties: [Origin: Party] = [:]
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]

    init(on loop: any EventLoop, clock: any MonotonicClock, limits: UpstreamLimits) {
        self.loop = loop
        self.clock = clock
        self.limits = limits
    }

    // MARK: Leases

    /// Leases an idle connection or a place for a new one. Waits while the origin has too many connections.
    /// - Parameter fresh: whether to close the idle connections instead of using one, because one of them was just found closed.
    func lease(_ origin: Origin, fresh: Bool, within limit: TimeLimit) async throws(UpstreamError) -> Lease {
        while let idle = parties[origin]?.idle.popLast() {
            idle.timer.cancel()
            if !fresh, idle.connection.isUsable { return .connection(idle.connection) }
            idle.connection.close()
        }
        guard parties[origin, default: Party()].places >= limits.connectionsPerOrigin else {
            parties[origin, default: Party()].places += 1
            return .place
        }
        let waiting = Waiting<Lease>()
        parties[origin]?.waiting.append(waiting)
        return try await waiting.value(within: limit, on: loop) {
            self.parties[origin]?.waiting.removeAll { $0 === waiting }
        }
    }

    /// Returns a place after a failed connection attempt.
    func giveBack(_ origin: Origin) { free(origin) }

    /// Turns a leased place into a connection.
    func adopt(_ channel: any Channel, to origin: Origin) throws(UpstreamError) -> HTTPConnection {
        do throws(UpstreamError) {
            let connection = try HTTPConnection.begin(
                to: origin, on: channel, clock: clock, limits: limits,
                whenFree: { [weak self] in self?.keep($0) }, whenClosed: { [weak self] in self?.forget($0) })
            connections[ObjectIdentifier(connection)] = connection
            return connection
        } catch {
            free(origin)
            throw error
        }
    }

    // MARK: Events

    private func keep(_ connection: HTTPConnection) {
        let origin = connection.origin
        while let waiting = parties[origin]?.waiting.first {
            parties[origin]?.waiting.removeFirst()
            if waiting.end(.success(.connection(connection))) { return }
        }
        let timer = clock.schedule(in: TimeAmount(limits.idleTime), on: loop) { connection.close() }
        parties[origin]?.idle.append(Idle(connection: connection, since: clock.now(on: loop), timer: timer))
        if let idle = parties[origin]?.idle, idle.count > limits.idlePerOrigin { idle.first?.connection.close() }
        if parties.values.reduce(0, { $0 + $1.idle.count }) > limits.idleConnections { closeLongestIdle() }
    }

    private func forget(_ connection: HTTPConnection) {
        connections[ObjectIdentifier(connection)] = nil
        parties[connection.origin]?.idle.removeAll { idle in
            guard idle.connection === connection else { return false }
            idle.timer.cancel()
            return true
        }
        free(connection.origin)
    }

    /// Gives a free place to the next waiting request.
    private func free(_ origin: Origin) {
        while let waiting = parties[origin]?.waiting.first {
            parties[origin]?.waiting.removeFirst()
            if waiting.end(.success(.place)) { return }
        }
        parties[origin]?.places -= 1
        if parties[origin]?.isEmpty == true { parties[origin] = nil }
    }

    private func closeLongestIdle() {
        let oldest = parties.values.compactMap(\.idle.first).min { $0.since < $1.since }
        oldest?.connection.close()
    }

    // MARK: End

    /// Closes all connections. Requests that wait for a connection fail with `shutDown`; those that wait for a response see
    /// their connection close.
    /// - Returns: the futures that complete when the connections are closed.
    func close() -> [EventLoopFuture<Void>] {
        for waiting in parties.values.flatMap(\.waiting) { waiting.end(.failure(.shutDown)) }
        for origin in parties.keys { parties[origin]?.waiting.removeAll() }
        let open = Array(connections.values)
        for connection in open { connection.close() }
        return open.map(\.channel.closeFuture)
    }

    /// The numbers of connection attempts, of open connections, and of the idle ones among these.
    var count: (connecting: Int, open: Int, idle: Int) {
        (
            parties.values.reduce(0) { $0 + $1.places } - connections.count, connections.count,
            parties.values.reduce(0) { $0 + $1.idle.count }
        )
    }
}
