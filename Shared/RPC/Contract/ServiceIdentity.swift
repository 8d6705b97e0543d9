import Foundation
import JSON

/// Who answers: the name and version of a service, and which of its processes.
public struct ServiceIdentity: Sendable, Equatable {
    public let name: String
    public let version: String

    /// Differs from process to process, so that a restarted peer can be told from the old one.
    public let instance: String

    public init(name: String, version: String, instance: String = UUID().uuidString) {
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
