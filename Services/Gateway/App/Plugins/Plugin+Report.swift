import Foundation
import GatewayContract
import NIOCore
import RPC
import ServiceKit

extension Plugin {
    /// Pings the plugin and reports its state.
    func report() async -> PluginReport {
        let start = clock.now
        var failure: RPCError?
        do throws(RPCError) {
            _ = try await client.call(ProtocolMethods.ping, Empty(), CallOptions(timeout: Self.probeTimeout))
        } catch {
            // `method_not_found` is an answer too: the peer does not implement `rpc.ping`.
            if error.kind != .methodNotFound { failure = error }
        }
        let roundTrip = clock.now - start
        let (status, mismatch) = (await client.status(), standing.mismatch)
        let state: PluginReport.State =
            if mismatch != nil {
                .incompatible
            } else if failure == nil {
                .ready
            } else {
                status.phase == .connecting ? .connecting : .down
            }
        return PluginReport(
            name: name, socket: client.path.description, required: manifest.required, state: state,
            instance: status.greeting?.service.instance, version: status.greeting?.service.version,
            contracts: status.greeting?.contracts ?? [:], error: mismatch ?? failure?.message,
            notices: state == .ready ? await faults(CallOptions()) : logNotice.map { [$0] } ?? [],
            nextAttempt: status.untilNextAttempt.map { Int($0.nanoseconds / 1_000_000) },
            roundTrip: failure == nil ? Int(roundTrip.nanoseconds / 1_000) : nil)
    }
}

extension Plugin {
    /// What the manifest names and the plugin does not describe; none when it does not answer, which is reported elsewhere.
    func faults(_ options: CallOptions) async -> [String] {
        guard !manifest.enriches.isEmpty || !manifest.http.isEmpty else { return [] }
        do throws(RPCError) {
            return manifest.faults(beside: try await contracts(options).flatMap(\.methods))
        } catch {
            return []
        }
    }

    /// Where the output of its program is; nil if the supervisor does not run it.
    private var logNotice: String? {
        let log = "\(root)/log/\(name).log"
        return manifest.run != nil && FileManager.default.fileExists(atPath: log) ? "its log is \(log)" : nil
    }
}

extension PluginReport {
    /// Adds notices to the reports: a manifest that is invalid now, and two plugins that are the same process.
    static func noting(_ rejections: [FileRejection], in reports: [PluginReport]) -> [PluginReport] {
        reports.map { report in
            let refused = rejections.filter { $0.name == report.name }
                .map { "\($0); its last valid manifest remains in force" }
            let others = reports.filter {
                $0.name != report.name && $0.instance != nil && $0.instance == report.instance
            }
            let same = others.map { "is the same process as \($0.name)" }
            return PluginReport(
                name: report.name, socket: report.socket, required: report.required, state: report.state,
                instance: report.instance, version: report.version, contracts: report.contracts, error: report.error,
                notices: report.notices + refused + same, nextAttempt: report.nextAttempt, roundTrip: report.roundTrip)
        }
    }
}
