import JSON

/// `rpc.hello`: protocol version, features and limits, negotiated in the first message.
public enum Hello {
    /// The versions of the protocol that this runtime speaks.
    static let protocols = [1]

    /// What the client offers.
    public struct Request: Sendable {
        let protocols: [Int]
        let client: Client?
        let features: [String]?
        let limits: ClientLimits?

        static let codec = Codec<Request>.object { object in
            let protocols = object.required("protocols", .array(of: .integer(), count: 1...16), \.protocols)
            let client = object.optional("client", Client.codec, \.client)
            let features = object.optional("features", .array(of: .string, count: 0...32), \.features)
            let limits = object.optional("limits", ClientLimits.codec, \.limits)
            return { members throws(JSONError) in
                Request(
                    protocols: try members[protocols], client: try members[client], features: try members[features],
                    limits: try members[limits])
            }
        }
    }

    /// The limits that a server must respect towards this client.
    struct ClientLimits: Sendable, Equatable {
        /// The largest message that the client accepts; nil for no limit.
        let frameBytes: Int?

        /// How many attachments and messages in parts the client receives at a time, and how many of their bytes it
        /// buffers; nil for the defaults.
        let openTransfers: Int?
        let assembledBytes: Int?

        static let codec = Codec<ClientLimits>.object { object in
            let frameBytes = object.optional("frame_bytes", .integer(1 ... .max), \.frameBytes)
            let openTransfers = object.optional("open_transfers", .integer(1 ... .max), \.openTransfers)
            let assembledBytes = object.optional("assembled_bytes", .integer(1 ... .max), \.assembledBytes)
            return { members throws(JSONError) in
                ClientLimits(
                    frameBytes: try members[frameBytes], openTransfers: try members[openTransfers],
                    assembledBytes: try members[assembledBytes])
            }
        }
    }

    /// The name and version of the client, for the server's logs.
    struct Client: Sendable {
        let name: String
        let version: String

        static let codec = Codec<Client>.object { object in
            let name = object.required("name", .string, \.name)
            let version = object.required("version", .string, \.version)
            return { members throws(JSONError) in Client(name: try members[name], version: try members[version]) }
        }
    }

    /// What the server agrees to.
    public struct Answer: Sendable {
        let `protocol`: Int
        public let service: ServiceIdentity

        /// Contract names and versions.
        public let contracts: [String: Int]
        let features: [String]

        /// The server's limits.
        let limits: Limits

        static let codec = Codec<Answer>.object { object in
            let number = object.required("protocol", .integer(), \.protocol)
            let service = object.required("service", ServiceIdentity.codec, \.service)
            let contracts = object.required("contracts", .dictionary(of: .integer()), \.contracts)
            let features = object.required("features", .array(of: .string), \.features)
            let limits = object.required("limits", Limits.announced, \.limits)
            return { members throws(JSONError) in
                Answer(
                    protocol: try members[number], service: try members[service], contracts: try members[contracts],
                    features: try members[features], limits: try members[limits])
            }
        }
    }

    /// The versions that a server supports, in the error for a client without a common version.
    struct Versions: Sendable {
        let client: [Int]
        let server: [Int]

        static let codec = Codec<Versions>.object { object in
            let client = object.required("client", .array(of: .integer()), \.client)
            let server = object.required("server", .array(of: .integer()), \.server)
            return { members throws(JSONError) in Versions(client: try members[client], server: try members[server]) }
        }
    }
}

extension Hello.ClientLimits {
    /// Makes the limits that are announced: those with default values are left out, except the first.
    init(_ limits: Limits) {
        let standard = Limits()
        self.init(
            frameBytes: limits.frameBytes,
            openTransfers: limits.openTransfers == standard.openTransfers ? nil : limits.openTransfers,
            assembledBytes: limits.assembledBytes == standard.assembledBytes ? nil : limits.assembledBytes)
    }
}
