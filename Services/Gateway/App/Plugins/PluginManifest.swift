import JSON
import NIOCore
import RPC

/// The manifest of a service behind the gateway: the content of `plugins.d/NAME.json`.
struct PluginManifest: Sendable, Equatable {
    /// The first part of its methods' names: the gateway forwards `NAME.verb` to it.
    let name: String

    /// Its socket; relative to `ROOT/run`.
    let socket: String

    /// The contracts that it must offer, with their versions.
    let contracts: [String: ContractVersions]

    /// Whether the gateway is degraded without it.
    let required: Bool

    /// The maximum timeout of a call in milliseconds; nil if only the caller's timeout applies.
    let timeout: Int?

    /// The program and its arguments, which `deploy/runner` runs; the gateway does not use it.
    var run: [String]?

    /// The path of its socket.
    func socketPath(root: String) -> String { socket.hasPrefix("/") ? socket : "\(root)/run/\(socket)" }

    /// Whether a connection for the other manifest can be used for this one too.
    func hasSameConnection(as other: PluginManifest) -> Bool {
        socket == other.socket && contracts == other.contracts
    }

    static let codec = Codec<PluginManifest>.object { object in
        let name = object.required("name", PluginName.codec, \.name)
        let socket = object.required("socket", .string, \.socket)
        let contracts = object.required("contracts", .dictionary(of: ContractVersions.codec), \.contracts)
        let required = object.optional("required", .boolean, \.required)
        let timeout = object.optional("timeout_ms", .integer(Limits.timeoutMilliseconds), \.timeout)
        let run = object.optional("run", .array(of: .string, count: 1...mostWords), \.run)
        return { members throws(JSONError) in
            PluginManifest(
                name: try members[name], socket: try members[socket], contracts: try members[contracts],
                required: try members[required] ?? false, timeout: try members[timeout],
                run: try members[run])
        }
    }

    /// The most words of `run`, as in `deploy/runner`.
    static let mostWords = 64
}

/// The names that plugins may have.
enum PluginName {
    static let maximumLength = 32

    /// The protocol's and the gateway's own methods begin with these.
    static let reserved = ["rpc", "gateway"]

    static let codec = Codec<String>.string.map(
        describedAs: ["pattern": .string("^[a-z][a-z0-9-]{0,31}$")],
        into: { name throws(JSONError) in
            let isWellFormed =
                name.utf8.count <= maximumLength && name.first.map(isLetter) == true
                && name.allSatisfy { isLetter($0) || ("0"..."9").contains($0) || $0 == "-" }
            guard isWellFormed else {
                throw .refused("must be 1 to \(maximumLength) of a-z, 0-9 and -, beginning with a letter")
            }
            guard !reserved.contains(name) else { throw .refused("is reserved") }
            return name
        },
        from: { $0 })

    private static func isLetter(_ character: Character) -> Bool { ("a"..."z").contains(character) }
}
