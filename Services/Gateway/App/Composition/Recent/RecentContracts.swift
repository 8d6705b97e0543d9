import NIOCore
import RPC

/// A short-lived cache of the methods that plugins describe. A failed or empty description is cached too.
struct RecentContracts: Sendable {
    /// The lifetime of a description.
    static let time = TimeAmount.seconds(5)

    /// The maximum size of all descriptions in bytes.
    static let bytes = 4 * 1_024 * 1_024

    /// The maximum size of a method's schemas in bytes. A larger description counts as none.
    static let methodBytes = 64 * 1_024

    private let plugins = RecentAnswers<String, DescribedMethods>(
        time: time, bytes: bytes, joinTime: Plugin.probeTimeout, now: { .now() })

    /// Runs the loads, until the task is cancelled.
    func run() async { await plugins.run() }

    /// A plugin's description of one of its methods.
    /// - Returns: nil when it does not describe the method, or does not answer.
    func method(_ name: String, of plugin: Plugin) async -> MethodDescription? {
        do throws(RPCError) {
            return try await plugins.value(of: plugin.name) {
                DescribedMethods(
                    methods: await plugin.contracts(CallOptions(timeout: Plugin.probeTimeout)).flatMap(\.methods)
                        .filter(\.isOfPermittedSize))
            }.methods.first { $0.name == name }
        } catch {
            // The caller was cancelled: the load does not throw.
            return nil
        }
    }
}

/// The methods that a plugin describes.
private struct DescribedMethods: SharedAnswer {
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
