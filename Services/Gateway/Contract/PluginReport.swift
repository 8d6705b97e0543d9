import JSON
import RPC

/// The state of one plugin, as `gateway.plugins` reports it.
public struct PluginReport: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case ready
        /// The plugin answers, but does not offer the contracts of its manifest.
        case incompatible
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

    /// The duration of a ping in microseconds.
    public let roundTrip: Int?

    public init(
        name: String, socket: String, required: Bool, state: State, instance: String?, version: String?,
        contracts: [String: Int], error: String?, roundTrip: Int?
    ) {
        self.name = name
        self.socket = socket
        self.required = required
        self.state = state
        self.instance = instance
        self.version = version
        self.contracts = contracts
        self.error = error
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
        let roundTrip = object.optional("round_trip_us", .integer(), \.roundTrip, "Microseconds.")
        return { members throws(JSONError) in
            PluginReport(
                name: try members[name], socket: try members[socket], required: try members[required],
                state: try members[state], instance: try members[instance], version: try members[version],
                contracts: try members[contracts], error: try members[error], roundTrip: try members[roundTrip])
        }
    }
}
