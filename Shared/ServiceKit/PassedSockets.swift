import Foundation

/// The sockets that a supervisor opened and passed to this process (`sd_listen_fds(3)`).
struct PassedSockets: Equatable {
    /// One name for each socket. Empty when the supervisor named none.
    let names: [String]
    let count: Int

    /// The first passed descriptor. The others follow it.
    static let first: Int32 = 3

    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Reads the variables and removes them from the environment, so that the sockets are not taken twice.
    /// - Returns: nil when no sockets were passed to this process.
    static func take() throws(PassedSocketsError) -> PassedSockets? {
        let environment = ProcessInfo.processInfo.environment
        for variable in variables { unsetenv(variable) }
        return try PassedSockets(environment, process: getpid())
    }

    /// - Returns: nil when no sockets were passed to this process. The variables may be inherited and name the parent.
    init?(_ environment: [String: String], process: Int32) throws(PassedSocketsError) {
        guard let text = environment["LISTEN_FDS"], environment["LISTEN_PID"].flatMap(Int32.init) == process else {
            return nil
        }
        guard let count = Int32(text), (0...Self.most).contains(count) else { throw .malformed(count: text) }
        if count == 0 { return nil }
        names =
            environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            ?? []
        self.count = Int(count)
    }

    private static let most: Int32 = 1_024

    /// The descriptor with this name; nil if there is none, or more than one.
    func descriptor(named name: String) -> Int32? {
        let fitting = names.prefix(count).indices.filter { names[$0] == name }
        return fitting.count == 1 ? Self.first + Int32(fitting[0]) : nil
    }

    /// The descriptor for a service: the only one, or the one named after the service if there are several.
    func descriptor(for service: String) throws(PassedSocketsError) -> Int32 {
        if count == 1 { return Self.first }
        guard let descriptor = descriptor(named: service) else {
            throw .ambiguous(service: service, count: count, names: names)
        }
        return descriptor
    }
}

/// Why the passed sockets cannot be used.
enum PassedSocketsError: Error, Equatable, CustomStringConvertible {
    case malformed(count: String)
    case ambiguous(service: String, count: Int, names: [String])

    var description: String {
        switch self {
        case .malformed(let count):
            return "LISTEN_FDS is not a valid number of sockets: \"\(count)\""
        case .ambiguous(let service, let count, let names):
            let named = names.isEmpty ? "without names" : "named \(names.joined(separator: ", "))"
            return "\(count) sockets were passed, \(named): exactly one must be named \(service) (LISTEN_FDNAMES)"
        }
    }
}
