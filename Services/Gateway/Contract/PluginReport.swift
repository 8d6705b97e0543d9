import JSON
import RPC

/// The state of one plugin, as `gateway.plugins` reports it.
public struct PluginReport: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case ready
        /// The first attempts to connect are under way, or those after a loss, during which calls wait.
        case connecting
        /// The plugin answers, but does not offer the contracts of its manifest or the protocol.
        case incompatible
        /// Calls fail at once. The gateway tries again in the background.
        case down
    }

    public let name: String

    /// The path of the plugin's socket.
    public let socket: String

    /// Whether the health of the gateway depends on the plugin.
    public let required: Bool
    public let state: State

    /// The instance id of its process; nil while it does not answer.
    public let instance: String?
    public let version: String?

    /// The version of each contract that it offers.
    public let contracts: [String: Int]

    /// The reason for a state other than `ready`.
    public let error: String?

    /// Faults that do not keep the plugin from working, for example a changed manifest that is invalid.
    public let notices: [String]

    /// The time until the next attempt to connect in milliseconds; nil while connected.
    public let nextAttempt: Int?

    /// The duration of a ping in microseconds.
    public let roundTrip: Int?

    public init(
        name: String, socket: String, required: Bool, state: State, instance: String?, version: String?,
        contracts: [String: Int], error: String?, notices: [String] = [], nextAttempt: Int? = nil, roundTrip: Int?
    ) {
        self.name = name
        self.socket = socket
        self.required = required
        self.state = state
        self.instance = instance
        self.version = version
        self.contracts = contracts
        self.error = error
        self.notices = notices
        self.nextAttempt = nextAttempt
        self.roundTrip = roundTrip
    }

    public static let codec = Codec<PluginReport>.object { object in
        let name = object.required("name", .string, \.name)
        let socket = object.required("socket", .string, \.socket)
        let required = object.required("required", .boolean, \.required)
        let state = object.required("state", .oneOf, \.state)
        let instance = object.optional("instance", .string, \.instance)
        let version = object.optional("version", .string, \.version)
        let contracts = object.required("contracts", .dictionary(of: .integer()), \.contracts)
        let error = object.optional("error", .string, \.error)
        let notices = object.optional("notices", .array(of: .string), \.filledNotices)
        let nextAttempt = object.optional("next_attempt_ms", .integer(), \.nextAttempt, "Milliseconds.")
        let roundTrip = object.optional("round_trip_us", .integer(), \.roundTrip, "Microseconds.")
        return { members throws(JSONError) in
            PluginReport(
                name: try members[name], socket: try members[socket], required: try members[required],
                state: try members[state], instance: try members[instance], version: try members[version],
                contracts: try members[contracts], error: try members[error],
                notices: try members[notices] ?? [], nextAttempt: try members[nextAttempt],
                roundTrip: try members[roundTrip])
        }
    }

    /// Nil when there are none.
    private var filledNotices: [String]? { notices.isEmpty ? nil : notices }
}

/// A file in the folder of manifests that is not used.
public struct RefusedManifest: Sendable, Equatable {
    /// The file's name without its suffix.
    public let name: String
    public let file: String
    public let line: Int?
    public let reason: String

    public init(name: String, file: String, line: Int?, reason: String) {
        self.name = name
        self.file = file
        self.line = line
        self.reason = reason
    }

    public static let codec = Codec<RefusedManifest>.object { object in
        let name = object.required("name", .string, \.name)
        let file = object.required("file", .string, \.file)
        let line = object.optional("line", .integer(), \.line)
        let reason = object.required("reason", .string, \.reason)
        return { members throws(JSONError) in
            RefusedManifest(
                name: try members[name], file: try members[file], line: try members[line], reason: try members[reason])
        }
    }
}
