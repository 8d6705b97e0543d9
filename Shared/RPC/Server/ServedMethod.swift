import Foundation
import NIOCore

/// One method of a server: its handlers and its statistics. Lives on the event loop.
final class ServedMethod {
    let name: String
    private let handlers: MethodTable.Handlers
    private(set) var sinceStart = CallCounts()
    private var lastMinute = LastMinute<CallCounts>()
    private var underWay = 0

    /// Of the calls that a caller waits for.
    private var slowness = Slowness(limit: Slowness.callLimit)

    init(_ name: String, _ handlers: MethodTable.Handlers = .init()) {
        self.name = name
        self.handlers = handlers
    }

    /// Whether calls are forwarded to another service; then their attachments are not verified here.
    var isForwarded: Bool { handlers.once == nil && handlers.stream == nil }

    /// Returns the handler for a call.
    /// - Returns: nil if there is none here.
    /// - Throws: `invalid_params` for a stream called without `meta.stream`, or the reverse.
    func handler(asStream: Bool) throws(RPCError) -> MethodTable.Handler? {
        if let handler = asStream ? handlers.stream : handlers.once { return handler }
        if isForwarded { return nil }
        throw RPCError(
            .invalidParams,
            asStream
                ? "meta.stream: must not be true, \(name) answers once"
                : "meta.stream: must be true, \(name) answers with a stream", begun: false)
    }

    // MARK: Statistics

    func statistics(at now: NIODeadline) -> MethodStatistics {
        MethodStatistics(sinceStart: sinceStart, lastMinute: lastMinute.counts(at: now), underWay: underWay)
    }

    func begin() {
        sinceStart.calls += 1
        underWay += 1
    }

    /// - Parameters:
    ///   - error: nil for a call that succeeded.
    ///   - latency: nil for a stream, whose duration is not a latency.
    func end(_ error: ErrorKind?, latency: TimeAmount?, at now: NIODeadline) {
        underWay -= 1
        sinceStart.noteEnd(error, latency)
        lastMinute.add(at: now) { counts in
            counts.calls += 1
            counts.noteEnd(error, latency)
        }
    }

    /// Counts a call that its caller has waited for.
    func noteWait(_ time: TimeAmount, at now: NIODeadline) { slowness.note(time, at: now) }

    func slownessCheck(at now: NIODeadline, date: Date) -> Health.Check? {
        slowness.check(
            name, title: name, remedy: "see its times in gateway stats, and whether the machine is overloaded", at: now,
            date: date)
    }

    /// Counts a call that was answered without having begun.
    func refuse(_ error: ErrorKind, at now: NIODeadline) {
        begin()
        end(error, latency: nil, at: now)
    }
}

extension CallCounts {
    fileprivate mutating func noteEnd(_ error: ErrorKind?, _ latency: TimeAmount?) {
        if let latency { self.latency.add(latency) }
        if let error { errors[error.rawValue, default: 0] += 1 }
    }
}

/// The methods of a server by name. Lives on the event loop.
///
/// Names come from peers, so only known ones have an entry of their own: the statistics stay small whatever peers ask
/// for.
final class ServedMethods {
    private let table: MethodTable
    private let methods: [String: ServedMethod]

    /// The protocol's methods that have no handler in a table.
    let hello = ServedMethod(ProtocolMethods.hello.name)
    let cancel = ServedMethod(ProtocolMethods.cancel.name)
    let grant = ServedMethod(ProtocolMethods.grant.name)

    /// One entry for all methods of each service that calls are forwarded to.
    private var services: [Substring: ServedMethod] = [:]

    /// Bounds the table: services start and stop while a gateway runs.
    private static let mostServices = 256

    /// The entry for all unknown names.
    private let other = ServedMethod("other")

    init(_ table: MethodTable) {
        self.table = table
        let methods = table.handlers.map { ServedMethod($0, $1) } + [hello, cancel, grant]
        self.methods = Dictionary(methods.map { ($0.name, $0) }, uniquingKeysWith: { _, own in own })
    }

    subscript(name: String) -> ServedMethod {
        if let method = methods[name] { return method }
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return other }
        let service = name[..<dot]
        if let method = services[service] { return method }
        guard services.count < Self.mostServices, table.isForwarded(String(service)) else { return other }
        let method = ServedMethod("\(service).*")
        services[Substring(String(service))] = method
        return method
    }

    /// Returns the handler for a request.
    /// - Throws: `method_not_found`, or `invalid_params` for a stream called without `meta.stream`, or the reverse.
    func handler(of method: ServedMethod, for request: Request) throws(RPCError) -> MethodTable.Handler {
        let isStream = request.meta.stream == true
        if let handler = try method.handler(asStream: isStream) { return handler }
        return try table.forwarding(request.method, asStream: isStream)
    }

    /// The checks of the slow methods of this service: not those of the protocol, and not forwarded ones.
    func slownessChecks(at now: NIODeadline, date: Date) -> [Health.Check] {
        methods.values.filter { !$0.name.hasPrefix(ProtocolMethods.prefix) }
            .compactMap { $0.slownessCheck(at: now, date: date) }.sorted { $0.name < $1.name }
    }

    /// Statistics of the called methods, by name.
    func statistics(at now: NIODeadline) -> [String: MethodStatistics] {
        let all = [other] + Array(methods.values) + Array(services.values)
        let called = all.filter { $0.sinceStart.calls > 0 }
        return Dictionary(called.map { ($0.name, $0.statistics(at: now)) }, uniquingKeysWith: { first, _ in first })
    }
}
