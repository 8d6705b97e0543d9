import JSON

/// The answer of `rpc.stats`.
public struct Statistics: Sendable, Equatable {
    /// By name, those that were called: methods of the service itself, `NAME.*` for all that is forwarded to the service
    /// of that name, and `other` for what there is not.
    public let methods: [String: MethodStatistics]

    public let process: ProcessStatistics

    public static let codec = Codec<Statistics>.object { object in
        let methods = object.required("methods", .dictionary(of: MethodStatistics.codec), \.methods)
        let process = object.required("process", ProcessStatistics.codec, \.process)
        return { members throws(JSONError) in
            Statistics(methods: try members[methods], process: try members[process])
        }
    }
}

/// What became of the calls of one method since the process has started.
public struct MethodStatistics: Sendable, Equatable {
    public internal(set) var calls = 0

    /// Begun and not answered.
    public internal(set) var underWay = 0

    /// By kind; those that were refused before anything ran included.
    public internal(set) var errors: [String: Int] = [:]

    /// From reading a call to its answer; without those that were refused.
    public internal(set) var latency = LatencyHistogram()

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

/// How a process is doing.
public struct ProcessStatistics: Sendable, Equatable {
    public let connections: Int

    /// Handlers that have not ended, also of calls that were answered before.
    public let handlers: Int

    /// Answers that peers have not taken yet.
    public let queuedBytes: Int

    /// What of the process is in memory; nil when the system does not tell.
    public let memoryBytes: Int?

    /// In seconds.
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
