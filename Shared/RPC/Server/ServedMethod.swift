import NIOCore

/// One method of a server: what answers it, and what became of its calls. Lives on the event loop.
final class ServedMethod {
    let name: String
    private let handlers: MethodTable.Handlers
    private(set) var statistics = MethodStatistics()

    init(_ name: String, _ handlers: MethodTable.Handlers = .init()) {
        self.name = name
        self.handlers = handlers
    }

    /// Whether calls are for another service: then what stands beside them is not looked into here.
    var isForwarded: Bool { handlers.once == nil && handlers.stream == nil }

    /// What answers a call.
    /// - Returns: nil where nothing here does.
    /// - Throws: `invalid_params` for a stream that is not called as one and the other way round.
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

    func begin() {
        statistics.calls += 1
        statistics.underWay += 1
    }

    /// - Parameters:
    ///   - error: nil for a call that went well.
    ///   - latency: nil for a stream: how long it was watched is no latency.
    func end(_ error: ErrorKind?, latency: TimeAmount?) {
        statistics.underWay -= 1
        if let latency { statistics.latency.add(latency) }
        if let error { statistics.errors[error.rawValue, default: 0] += 1 }
    }

    /// A call was answered without having begun.
    func refuse(_ error: ErrorKind) {
        statistics.calls += 1
        statistics.errors[error.rawValue, default: 0] += 1
    }
}

/// The methods of a server by name. Lives on the event loop.
///
/// Names come from outside, so only known ones have a place of their own: what is counted stays small whatever peers ask for.
final class ServedMethods {
    private let table: MethodTable
    private let methods: [String: ServedMethod]

    /// Those that stand for all methods of a service that calls are forwarded to.
    private var services: [Substring: ServedMethod] = [:]

    /// Services start and stop while a gateway runs.
    private static let mostServices = 256

    /// Stands for every other name.
    private let other = ServedMethod("other")

    init(_ table: MethodTable) {
        self.table = table
        methods = Dictionary(uniqueKeysWithValues: table.handlers.map { ($0, ServedMethod($0, $1)) })
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

    /// What answers a request.
    /// - Throws: `method_not_found`, or `invalid_params` for a stream that is not called as one and the other way round.
    func handler(of method: ServedMethod, for request: Request) throws(RPCError) -> MethodTable.Handler {
        let isStream = request.meta.stream == true
        if let handler = try method.handler(asStream: isStream) { return handler }
        return try table.forwarding(request.method, asStream: isStream)
    }

    /// Of those that were called, by name.
    var statistics: [String: MethodStatistics] {
        let all = [other] + Array(methods.values) + Array(services.values)
        return Dictionary(
            all.filter { $0.statistics.calls > 0 }.map { ($0.name, $0.statistics) },
            uniquingKeysWith: { first, _ in first })
    }
}
