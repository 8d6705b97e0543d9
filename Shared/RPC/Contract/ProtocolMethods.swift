import JSON

/// The protocol's own methods, `rpc.verb`.
public enum ProtocolMethods {
    /// Of the names of them all.
    static let prefix = "rpc."

    public static let hello = Method(
        "rpc.hello", "Agree on a protocol version, features and limits; only as the first message.",
        params: Hello.Request.codec, answer: Hello.Answer.codec)

    public static let ping = Method(
        "rpc.ping", "Answer, to show that the connection lives.", params: Empty.codec, answer: Empty.codec)

    /// A notification.
    public static let cancel = Method(
        "rpc.cancel", "End the call with this id.", params: Cancel.codec, answer: Empty.codec)

    public static let describe = Method(
        "rpc.describe", "List the contracts with their methods and JSON Schemas.",
        params: ServiceSelection.codec, answer: ServiceDescription.codec)

    public static let health = Method(
        "rpc.health", "Tell whether the service is up to its work.",
        params: ServiceSelection.codec, answer: Health.codec)

    public static let stats = Method(
        "rpc.stats", "Count calls, errors and latencies by method, and tell how the process is doing.",
        params: ServiceSelection.codec, answer: Statistics.codec)

    /// A notification, client to server: so many more items of a stream may come.
    static let grant = Method(
        "rpc.grant", "Take more items of the stream with this id.", params: Grant.codec, answer: Empty.codec)

    /// A notification, server to client: an item of a stream.
    static let itemName = "rpc.item"

    /// A notification, server to client: this server goes away.
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

/// At the gateway the protocol's own methods can be asked about one of the services behind it.
public struct ServiceSelection: Sendable {
    /// The name of a service behind this one; nil for this one itself.
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
