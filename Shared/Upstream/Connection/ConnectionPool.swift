import NIOCore

/// Keeps connections for the next request to the same origin, and no more of them than there may be. Those who find no room
/// wait in the order in which they came. Lives on the event loop.
final class ConnectionPool {
    /// What a request is given to go on with.
    enum Lease {
        case connection(HTTPConnection)
        /// The right to make a connection. It is used up by `adopt`, or given back with `giveBack`.
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
        /// Connections, and places that were given away for one.
        var places = 0
        var isEmpty: Bool { places == 0 && waiting.isEmpty }
    }

    private let loop: any EventLoop
    private let limits: UpstreamLimits
    private var parties: [Origin: Party] = [:]
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]

    init(on loop: any EventLoop, limits: UpstreamLimits) {
        self.loop = loop
        self.limits = limits
    }

    // MARK: Leases

    /// - Parameter fresh: those that are kept are not to be trusted; another one of them has just turned out to be dead.
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

    /// Nothing came of a place.
    func giveBack(_ origin: Origin) { free(origin) }

    /// A place has become a connection.
    func adopt(_ channel: any Channel, to origin: Origin) throws(UpstreamError) -> HTTPConnection {
        do throws(UpstreamError) {
            let connection = try HTTPConnection.begin(
                to: origin, on: channel, limits: limits,
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
        let timer = loop.schedule(at: .now() + TimeAmount(limits.idleTime)) { connection.close() }
        parties[origin]?.idle.append(Idle(connection: connection, since: .now(), timer: timer))
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

    /// One place has become free: it is the next one's.
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

    /// Closes everything. Those who wait for a connection are told; those who wait for a response see theirs close.
    /// - Returns: when all of it is closed.
    func close() -> [EventLoopFuture<Void>] {
        for waiting in parties.values.flatMap(\.waiting) { waiting.end(.failure(.shutDown)) }
        for origin in parties.keys { parties[origin]?.waiting.removeAll() }
        let open = Array(connections.values)
        for connection in open { connection.close() }
        return open.map(\.channel.closeFuture)
    }

    /// How many connections are being made, how many there are, and how many of these are kept for later.
    var count: (connecting: Int, open: Int, idle: Int) {
        (
            parties.values.reduce(0) { $0 + $1.places } - connections.count, connections.count,
            parties.values.reduce(0) { $0 + $1.idle.count }
        )
    }
}
