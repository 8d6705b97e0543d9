import JSON
import NIOCore
import RPC

/// What `gateway.plugins` tells about one plugin.
struct PluginReport: Sendable, Equatable {
    enum State: String, Sendable, CaseIterable {
        case ready
        /// It answers, but does not offer the contracts that its manifest names.
        case incompatible
        case down
    }

    let name: String
    let socket: String
    let required: Bool
    let state: State

    /// Of the process that answers; nil when none does.
    let instance: String?
    let version: String?
    let contracts: [String: Int]

    /// What is wrong; nil when nothing is.
    let error: String?

    /// What a ping took, in microseconds.
    let roundTrip: Int?

    static let codec = Codec<PluginReport>.object { object in
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

extension Plugin {
    /// Asks the plugin how it is.
    func report() async -> PluginReport {
        let start = NIODeadline.now()
        var failure: RPCError?
        do throws(RPCError) {
            _ = try await client.call(ProtocolMethods.ping, Empty(), CallOptions(timeout: Self.probeTimeout))
        } catch {
            // A plain peer that knows no ping has answered all the same.
            if error.kind != .methodNotFound { failure = error }
        }
        let roundTrip = NIODeadline.now() - start
        let greeting = await client.greeting()
        let problem = failure?.message ?? standing.mismatch
        return PluginReport(
            name: name, socket: client.path.description, required: manifest.required,
            state: failure != nil ? .down : problem != nil ? .incompatible : .ready,
            instance: greeting?.service.instance, version: greeting?.service.version,
            contracts: greeting?.contracts ?? [:], error: problem,
            roundTrip: failure == nil ? Int(roundTrip.nanoseconds / 1_000) : nil)
    }
}
