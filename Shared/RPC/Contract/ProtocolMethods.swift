import JSON

/// The protocol's own methods, `rpc.verb`.
public enum ProtocolMethods {
    /// The prefix of all their names.
    static let prefix = "rpc."

    public static let hello = Method(
        "rpc.hello", "Negotiate protocol version, features and limits. Must be the first message.",
        params: Hello.Request.codec, answer: Hello.Answer.codec)

    public static let ping = Method(
        "rpc.ping", "Answer at once, to show that the connection works.", params: Empty.codec, answer: Empty.codec)

    /// A notification.
    public static let cancel = Method(
        "rpc.cancel", "Cancel the call with this id.", params: Cancel.codec, answer: Empty.codec)

    public static let describe = Method(
        "rpc.describe", "List the contracts with their methods and JSON Schemas.",
        params: ServiceSelection.codec, answer: ServiceDescription.codec)

    public static let health = Method(
        "rpc.health", "Report the health of the service.",
        params: ServiceSelection.codec, answer: Health.codec)

    public static let stats = Method(
        "rpc.stats", "Report calls, errors and latencies by method, and the state of the process.",
        params: ServiceSelection.codec, answer: Statistics.codec)

    /// A notification, client to server: the stream may send this many more items.
    static let grant = Method(
        "rpc.grant", "Allow more items of the stream with this id.", params: Grant.codec, answer: Empty.codec)

    /// A draining server answers these calls and refuses all others.
    static let answeredWhileDraining: Set = [health.name, ping.name]

    /// A notification, server to client: an item of a stream.
    static let itemName = "rpc.item"

    /// A notification, server to client: the server is draining.
    static let drainingName = "rpc.draining"
}

/// Parameters of `rpc.cancel`.
public struct Cancel: Sendable {
    let id: RequestID

    static let codec = Codec<Cancel>.object { object in
        let id = object.required("id", RequestID.codec, \.id)
        return { members throws(JSONError) in Cancel(id: try members[id]) }
    }
}

/// Parameters of `rpc.grant`.
struct Grant: Sendable {
    let id: RequestID
    let items: Int

    static let codec = Codec<Grant>.object { object in
        let id = object.required("id", RequestID.codec, \.id)
        let items = object.required("items", .integer(1...Limits.streamWindows.upperBound), \.items)
        return { members throws(JSONError) in Grant(id: try members[id], items: try members[items]) }
    }
}

/// Parameters of `rpc.item`.
struct StreamItem: Sendable {
    let id: RequestID
    let item: RawJSON

    static let codec = Codec<StreamItem>.object { object in
        let id = object.required("id", RequestID.codec, \.id)
        let item = object.required("item", .any, \.item)
        return { members throws(JSONError) in StreamItem(id: try members[id], item: try members[item]) }
    }
}

/// Selects a service behind a gateway for `rpc.describe`, `rpc.health` and `rpc.stats`.
public struct ServiceSelection: Sendable {
    /// The name of the service; nil for the gateway itself. A gateway refuses more than 32 bytes.
    public let service: String?

    public init(service: String? = nil) { self.service = service }

    public static let codec = Codec<ServiceSelection>.object { object in
        let service = object.optional("service", .string, \.service)
        return { members throws(JSONError) in ServiceSelection(service: try members[service]) }
    }
}

/// The answer of `rpc.describe`.
public struct ServiceDescription: Sendable {
    public let service: ServiceIdentity
    public let contracts: [Contract]

    public init(service: ServiceIdentity, contracts: [Contract]) {
        self.service = service
        self.contracts = contracts
    }

    public static let codec = Codec<ServiceDescription>.object { object in
        let service = object.required("service", ServiceIdentity.codec, \.service)
        let contracts = object.required("contracts", .array(of: Contract.codec), \.contracts)
        return { members throws(JSONError) in
            ServiceDescription(service: try members[service], contracts: try members[contracts])
        }
    }
}
