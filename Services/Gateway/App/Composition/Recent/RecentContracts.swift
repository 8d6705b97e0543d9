import NIOCore
import RPC
import Timing

/// A short-lived cache of the methods that plugins describe. An empty description is cached too.
struct RecentContracts: Sendable {
    /// The lifetime of a description.
    static let time = TimeAmount.seconds(5)

    /// The maximum size of all descriptions in bytes.
    static let bytes = 4 * 1_024 * 1_024

    /// The maximum size of a method's schemas in bytes. A larger description counts as none.
    static let methodBytes = 64 * 1_024

    private let plugins: RecentAnswers<ObjectIdentifier, DescribedMethods>

    init(_ clock: any MonotonicClock) {
        plugins = RecentAnswers(time: Self.time, bytes: Self.bytes, joinTime: Plugin.probeTimeout, clock: clock)
    }

    /// Runs the loads, until the task is cancelled.
    func run() async { await plugins.run() }

    /// A plugin's description of one of its methods.
    /// - Returns: nil when it does not describe the method.
    /// - Throws: when it does not answer, or the caller was cancelled.
    func method(_ name: String, of plugin: Plugin) async throws(RPCError) -> MethodDescription? {
        // The description holds the client, so no other client has its identifier meanwhile. A plugin that was replaced under the
        // same name has another one.
        try await plugins.value(of: ObjectIdentifier(plugin.client)) { () async throws(RPCError) in
            let contracts = try await plugin.contracts(CallOptions(timeout: Plugin.probeTimeout))
            return DescribedMethods(
                client: plugin.client, methods: contracts.flatMap(\.methods).filter(\.isOfPermittedSize))
        }.methods.first { $0.name == name }
    }
}

/// The methods that a plugin describes.
private struct DescribedMethods: SharedAnswer {
    let client: RPCClient
    let methods: [MethodDescription]

    var heldBytes: Int? { methods.reduce(Self.sizeOfTheRest) { $0 + $1.size + Self.sizeOfTheRest } }

    /// The approximate size of a name, a summary and an entry.
    private static let sizeOfTheRest = 512

    var kept: DescribedMethods { self }
}

extension MethodDescription {
    fileprivate var size: Int { params.bytes.count + result.bytes.count + summary.utf8.count }

    fileprivate var isOfPermittedSize: Bool { size <= RecentContracts.methodBytes }
}
