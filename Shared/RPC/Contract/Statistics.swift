import JSON

/// The answer of `rpc.stats`.
public struct Statistics: Sendable, Equatable {
    /// The statistics of each called method, by name. `NAME.*` stands for all calls forwarded to the service NAME,
    /// and `other` for unknown methods.
    public private(set) var methods: [String: MethodStatistics]

    public private(set) var process: ProcessStatistics

    /// What the service measures itself.
    public internal(set) var measures = Measures()

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
        let gauges = object.optional("gauges", numbers, { $0.measures.gauges.nonEmpty })
        let counters = object.optional("counters", numbers, { $0.measures.counters.nonEmpty })
        return { members throws(JSONError) in
            Statistics(
                methods: try members[methods], process: try members[process],
                measures: Measures(gauges: try members[gauges] ?? [:], counters: try members[counters] ?? [:]))
        }
    }
}

extension Dictionary {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

/// The calls of one method since the process started.
public struct MethodStatistics: Sendable, Equatable {
    public internal(set) var calls = 0

    /// Calls that have begun and are not answered.
    public internal(set) var underWay = 0

    /// Errors by kind, including calls that were refused before a handler began.
    public internal(set) var errors: [String: Int] = [:]

    /// From reading the request to its answer, without refused calls.
    public internal(set) var latency = LatencyHistogram()

    fileprivate func adding(_ other: MethodStatistics) -> MethodStatistics {
        MethodStatistics(
            calls: calls + other.calls, underWay: underWay + other.underWay,
            errors: errors.merging(other.errors, uniquingKeysWith: +), latency: latency.adding(other.latency))
    }

    public static let codec = Codec<MethodStatistics>.object { object in
        let calls = object.required("calls", .integer(0 ... .max), \.calls)
        let underWay = object.required("under_way", .integer(0 ... .max), \.underWay)
        let errors = object.required("errors", .dictionary(of: .integer(0 ... .max)), \.errors)
        let latency = object.required("latency", LatencyHistogram.codec, \.latency)
        return { members throws(JSONError) in
            MethodStatistics(
                calls: try members[calls], underWay: try members[underWay], errors: try members[errors],
                latency: try members[latency])
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
