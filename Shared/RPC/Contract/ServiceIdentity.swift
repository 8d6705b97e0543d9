import Foundation
import JSON

/// The name and version of a service, and the process that answers.
public struct ServiceIdentity: Sendable, Equatable {
    public let name: String
    public let version: String

    /// Unique to each process, so that a client recognises a restart.
    public let instance: String

    public init(name: String, version: String, instance: String = UUID.random().uuidString) {
        self.name = name
        self.version = version
        self.instance = instance
    }

    public static let codec = Codec<ServiceIdentity>.object { object in
        let name = object.required("name", .string, \.name)
        let version = object.required("version", .string, \.version)
        let instance = object.required("instance", .string, \.instance)
        return { members throws(JSONError) in
            ServiceIdentity(name: try members[name], version: try members[version], instance: try members[instance])
        }
    }
}
