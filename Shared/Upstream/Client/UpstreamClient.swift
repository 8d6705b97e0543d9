import NIOCore
import NIOPosix
import NIOSSL
import Timing

/// Fetches untrusted URLs from untrusted servers.
///
/// It accepts only http and https and only public addresses, and limits bytes and time. Addresses are checked after each
/// lookup and on every redirect, and the connection goes to the checked address without a second lookup. Proxies of the
/// environment are ignored and cookies are not stored. Use one client per process, because it holds the idle connections.
///
/// ```swift
/// let client = UpstreamClient()
/// let response = try await client.get(UpstreamRequest(url: "https://images.example/1.jpg"))
/// await client.shutdown()
/// ```
///
/// The client, its connections and its timers run on one event loop, so their state needs no lock.
public actor UpstreamClient {
    private let loop: any EventLoop
    private let clock: any MonotonicClock
    private let settings: UpstreamSettings
    private let addressGuard: AddressGuard
    private let resolver: Resolver
    private let trust: TLSTrust
    private let pool: ConnectionPool
    private var isShutDown = false

    /// The client's event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Starts no threads and opens no connections. The first request does.
    public init(
        _ settings: UpstreamSettings = UpstreamSettings(),
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, clock: any MonotonicClock = .system
    ) {
        self.init(settings, on: group, clock: clock, lookUp: SystemLookup.addresses)
    }

    /// - Parameters:
    ///   - lookUp: replaces the system's resolver.
    ///   - makeContext: reads the trusted certificate authorities.
    init(
        _ settings: UpstreamSettings, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        clock: any MonotonicClock = .system, lookUp: @escaping Resolver.LookUp,
        makeContext: @escaping TLSTrust.MakeContext = { try NIOSSLContext(configuration: $0) }
    ) {
        loop = group.next()
        self.clock = clock
        self.settings = settings
        addressGuard = AddressGuard(settings)
        resolver = Resolver(on: loop, limits: settings.limits, known: settings.trusted.map(\.host), lookUp: lookUp)
        trust = TLSTrust(settings, on: loop, makeContext: makeContext)
        pool = ConnectionPool(on: loop, clock: clock, limits: settings.limits)
    }

    /// Fetches a URL and follows redirects. Responses of any other status are returned. Cancelling the task cancels the request
    /// at once.
    /// - Throws: the reason why there is no usable response.
    public func get(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        let limits = settings.limits
        let total = TimeLimit(.total, min(request.totalTime ?? limits.totalTime, limits.totalTime), on: clock)
        var url = try HTTPURL(request.url, limit: limits.urlBytes)
        var headers = try RequestHeaders(request.headers)
        for _ in 0...limits.redirects {
            let response = try await fetch(url, headers, for: request, within: total)
            guard let next = try Redirect.target(of: response, from: url, limit: limits.redirectBytes) else {
                return response
            }
            if next.origin != url.origin { headers.leaveOrigin() }
            url = next
        }
        throw .tooManyRedirects(limit: limits.redirects)
    }

    /// Checks whether a URL may be fetched, by its text and the addresses of its host. Sends no request.
    /// - Throws: `refused`; another error when the lookup of the name fails.
    public func check(_ url: String) async throws(UpstreamError) {
        let origin = try HTTPURL(url, limit: settings.limits.urlBytes).origin
        try addressGuard.check(origin)
        guard case .name(let name) = origin.host else { return }
        let limit = TimeLimit(.connect, settings.limits.connectTime, on: clock)
        try addressGuard.check(try await resolver.addresses(of: name, within: limit), of: origin)
    }

    /// Closes all connections. Running and later requests fail with `shutDown`.
    public func shutdown() async {
        isShutDown = true
        for closed in pool.close() {
            // An error of closing does not matter.
            _ = await closed.result()
        }
    }

    /// The numbers of connection attempts, of open connections, and of the idle ones among these.
    var connections: (connecting: Int, open: Int, idle: Int) { pool.count }

    // MARK: One request

    /// - Returns: a response of any status, redirects included.
    private func fetch(
        _ url: HTTPURL, _ headers: RequestHeaders, for request: UpstreamRequest, within total: TimeLimit
    ) async throws(UpstreamError) -> UpstreamResponse {
        try addressGuard.check(url.origin)
        let head = headers.head(
            for: url, userAgent: settings.userAgent, acceptsCompression: request.acceptsCompression)
        let reader = ResponseReader(
            url: url, limits: settings.limits, bodyLimit: request.maximumBodyBytes ?? settings.limits.bodyBytes,
            stream: request.stream)
        // The server may have closed an idle connection. Then one retry on a new connection is safe.
        for isRetry in [false, true] {
            try checkRunning()
            let (connection, isNew) = try await connection(to: url.origin, fresh: isRetry, within: total)
            do throws(UpstreamError) {
                if case .response(let response) = try await connection.exchange(head, reader, within: total) {
                    return response
                }
            } catch {
                try checkRunning()
                throw error
            }
            if isNew { break }
        }
        try checkRunning()
        throw .interrupted(partial: nil, reason: "the server closed the connection without a response")
    }

    private func connection(
        to origin: Origin, fresh: Bool, within total: TimeLimit
    ) async throws(UpstreamError) -> (HTTPConnection, isNew: Bool) {
        switch try await pool.lease(origin, fresh: fresh, within: total) {
        case .connection(let connection): return (connection, false)
        case .place:
            let channel: any Channel
            do throws(UpstreamError) {
                channel = try await connect(
                    to: origin, within: TimeLimit(.connect, settings.limits.connectTime, on: clock).within(total))
            } catch {
                pool.giveBack(origin)
                throw error
            }
            return (try pool.adopt(channel, to: origin), true)
        }
    }

    /// - Returns: a channel to a checked address, with TLS for an https origin.
    private func connect(to origin: Origin, within limit: TimeLimit) async throws(UpstreamError) -> any Channel {
        let addresses: [IPAddress]
        switch origin.host {
        case .address(let address): addresses = [address]
        case .name(let name): addresses = try await resolver.addresses(of: name, within: limit)
        }
        try addressGuard.check(addresses, of: origin)
        let channel = try await Dialer(addresses, of: origin, on: loop, within: limit).connect()
        if origin.scheme == .https {
            try await TLSHandshake.perform(with: origin, on: channel, trust: trust, within: limit)
        }
        guard !isShutDown else {
            channel.close(promise: nil)
            throw .shutDown
        }
        return channel
    }

    private func checkRunning() throws(UpstreamError) {
        if isShutDown { throw .shutDown }
    }
}

extension EventLoopFuture<Void> {
    /// The result of the future, as a value.
    fileprivate func result() async -> Result<Void, any Error> {
        await withUnsafeContinuation { continuation in whenComplete { continuation.resume(returning: $0) } }
    }
}
