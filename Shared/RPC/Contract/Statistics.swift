import JSON

/// The answer of `rpc.stats`.
public struct Statistics: Sendable, Equatable {
    /// The statistics of each called method, by name. `NAME.*` stands for all calls forwarded to the service NAME,
    /// and `other` for unknown methods.
    public private(set) var methods: [String: MethodStatistics]

    public private(set) var process: ProcessStatistics

    /// What the service measures itself.
    public var measures = Measures()

    /// Returns the sum with those of another event loop of the same process.
    func adding(_ other: Statistics) -> Statistics {
        var sum = self
        sum.methods.merge(other.methods) { $0.adding($1) }
        sum.process = ProcessStatistics(
            connections: process.connections + other.process.connections,
            handlers: process.handlers + other.process.handlers,
            queuedBytes: process.queuedBytes + other.process.queuedBytes, memoryBytes: process.memoryBytes,
            uptime: process.uptime)
        return sum
    }

    public static let codec = Codec<Statistics>.object { object in
        let methods = object.required("methods", .dictionary(of: MethodStatistics.codec), \.methods)
        let process = object.required("process", ProcessStatistics.codec, \.process)
        let numbers = Codec<[String: Int]>.dictionary(of: .integer(0 ... .max))
        let requests = object.optional(
            "http", .dictionary(of: MethodStatistics.codec), { $0.measures.requests.nonEmpty })
        let gauges = object.optional("gauges", numbers, { $0.measures.gauges.nonEmpty })
        let counters = object.optional("counters", numbers, { $0.measures.counters.nonEmpty })
        return { members throws(JSONError) in
            Statistics(
                methods: try members[methods], process: try members[process],
                measures: Measures(
                    gauges: try members[gauges] ?? [:], counters: try members[counters] ?? [:],
                    requests: try members[requests] ?? [:]))
        }
    }
}

extension Dictionary {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

/// How many calls there were, how they ended and how long they took.
public struct CallCounts: Summable, Equatable {
    public var calls = 0

    /// Errors by kind, including calls that were refused before a handler began.
    public var errors: [String: Int] = [:]

    /// From reading the request to its answer, without refused calls.
    public var latency = LatencyHistogram()

    public init() {}

    public init(calls: Int, errors: [String: Int], latency: LatencyHistogram) {
        (self.calls, self.errors, self.latency) = (calls, errors, latency)
    }

    public func adding(_ other: CallCounts) -> CallCounts {
        CallCounts(
            calls: calls + other.calls, errors: errors.merging(other.errors, uniquingKeysWith: +),
            latency: latency.adding(other.latency))
    }

    static let codec = Codec<CallCounts>.object { object in
        let calls = object.required("calls", .integer(0 ... .max), \.calls)
        let errors = object.required("errors", .dictionary(of: .integer(0 ... .max)), \.errors)
        let latency = object.required("latency", LatencyHistogram.codec, \.latency)
        return { members throws(JSONError) in
            CallCounts(calls: try members[calls], errors: try members[errors], latency: try members[latency])
        }
    }
}

/// The calls of one method, or the HTTP requests of one route.
public struct MethodStatistics: Sendable, Equatable {
    /// Since the process started.
    public var sinceStart: CallCounts

    /// Those that ended in the last minute; nil if the process does not count them.
    public var lastMinute: CallCounts?

    /// Calls that have begun and are not answered; nil if they are not counted by method.
    public var underWay: Int?

    public init(sinceStart: CallCounts, lastMinute: CallCounts?, underWay: Int? = nil) {
        (self.sinceStart, self.lastMinute, self.underWay) = (sinceStart, lastMinute, underWay)
    }

    fileprivate func adding(_ other: MethodStatistics) -> MethodStatistics {
        MethodStatistics(
            sinceStart: sinceStart.adding(other.sinceStart),
            lastMinute: lastMinute.map { $0.adding(other.lastMinute ?? CallCounts()) } ?? other.lastMinute,
            underWay: underWay.map { $0 + (other.underWay ?? 0) } ?? other.underWay)
    }

    public static let codec = Codec<MethodStatistics>.object { object in
        let calls = object.required("calls", .integer(0 ... .max), \.sinceStart.calls)
        let underWay = object.optional("under_way", .integer(0 ... .max), \.underWay)
        let errors = object.required("errors", .dictionary(of: .integer(0 ... .max)), \.sinceStart.errors)
        let latency = object.required("latency", LatencyHistogram.codec, \.sinceStart.latency)
        let lastMinute = object.optional("last_minute", CallCounts.codec, \.lastMinute)
        return { members throws(JSONError) in
            MethodStatistics(
                sinceStart: CallCounts(
                    calls: try members[calls], errors: try members[errors], latency: try members[latency]),
                lastMinute: try members[lastMinute], underWay: try members[underWay])
        }
    }
}

/// The state of the process.
public struct ProcessStatistics: Sendable, Equatable {
    public let connections: Int

    /// Running handlers, including those of calls that are already answered.
    public let handlers: Int

    /// Bytes of answers that peers have not read yet.
    public let queuedBytes: Int

    /// The resident memory of the process; nil when the system does not report it.
    public let memoryBytes: Int?

    /// In seconds since the process started.
    public let uptime: Int

    public static let codec = Codec<ProcessStatistics>.object { object in
        let connections = object.required("connections", .integer(0 ... .max), \.connections)
        let handlers = object.required("handlers", .integer(0 ... .max), \.handlers)
        let queuedBytes = object.required("queued_bytes", .integer(0 ... .max), \.queuedBytes)
        let memoryBytes = object.optional("memory_bytes", .integer(0 ... .max), \.memoryBytes)
        let uptime = object.required("uptime_s", .integer(0 ... .max), \.uptime)
        return { members throws(JSONError) in
            ProcessStatistics(
                connections: try members[connections], handlers: try members[handlers],
                queuedBytes: try members[queuedBytes], memoryBytes: try members[memoryBytes],
                uptime: try members[uptime])
        }
    }
}
