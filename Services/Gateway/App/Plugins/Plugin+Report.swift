import GatewayContract
import NIOCore
import RPC

extension Plugin {
    /// Pings the plugin and reports its state.
    func report() async -> PluginReport {
        let start = NIODeadline.now()
        var failure: RPCError?
        do throws(RPCError) {
            _ = try await client.call(ProtocolMethods.ping, Empty(), CallOptions(timeout: Self.probeTimeout))
        } catch {
            // A peer without `rpc.ping` has answered nevertheless.
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
