import JSON

/// A contract of a service: a name, its methods, and a version.
///
/// Adding optional parameters, members of results or methods keeps the version; every other change increments it.
public struct Contract: Sendable {
    public let name: String
    public let version: Int
    public let methods: [MethodDescription]

    public init(name: String, version: Int, methods: [MethodDescription]) {
        self.name = name
        self.version = version
        self.methods = methods
    }

    public static let codec = Codec<Contract>.object { object in
        let name = object.required("name", .string, \.name)
        let version = object.required("version", .integer(1 ... .max), \.version)
        let methods = object.required("methods", .array(of: MethodDescription.codec), \.methods)
        return { members throws(JSONError) in
            Contract(name: try members[name], version: try members[version], methods: try members[methods])
        }
    }
}

/// A method as `rpc.describe` lists it.
public struct MethodDescription: Sendable, Equatable {
    public let name: String
    public let summary: String

    /// JSON Schema 2020-12.
    public let params: RawJSON
    public let result: RawJSON

    public let idempotent: Bool
    public let streams: Bool

    /// Declared errors. Every method may also answer with the runtime's own errors.
    public let errors: [ErrorKind]

    public static let codec = Codec<MethodDescription>.object { object in
        let name = object.required("name", .string, \.name)
        let summary = object.required("summary", .string, \.summary)
        let params = object.required("params", .any, \.params)
        let result = object.required("result", .any, \.result)
        let idempotent = object.required("idempotent", .boolean, \.idempotent)
        let streams = object.required("streams", .boolean, \.streams)
        let errors = object.required("errors", .array(of: .oneOf), \.errors)
        return { members throws(JSONError) in
            MethodDescription(
                name: try members[name], summary: try members[summary], params: try members[params],
                result: try members[result], idempotent: try members[idempotent], streams: try members[streams],
                errors: try members[errors])
        }
    }
}
