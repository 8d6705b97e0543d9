import Foundation
import JSON
import RPC

/// A parameter of a query: how it is read, and how the API's description lists it.
struct QueryParameter<Value: Sendable>: Sendable {
    let description: ParameterDescription
    private let read: @Sendable (Query, String) throws(RPCError) -> Value?

    private init(
        _ name: String, _ summary: String, _ schema: JSONSchema, example: Int? = nil,
        _ read: @escaping @Sendable (Query, String) throws(RPCError) -> Value?
    ) {
        description = ParameterDescription(name: name, summary: summary, schema: schema, example: example)
        self.read = read
    }

    /// - Returns: nil when the query does not have the parameter.
    /// - Throws: `invalid_params` for an invalid value or a repeated parameter.
    func value(in query: Query) throws(RPCError) -> Value? { try read(query, description.name) }
}

/// A parameter of a query, for the API's description.
struct ParameterDescription: Sendable {
    let name: String
    let summary: String
    let schema: JSONSchema

    var isRequired = false

    /// A value for the example of a request; nil for a parameter that the example leaves out.
    var example: Int?
}

extension QueryParameter where Value == Int {
    /// A decimal number.
    static func integer(
        _ name: String, in range: ClosedRange<Int>, default value: Int? = nil, example: Int, _ summary: String
    ) -> QueryParameter {
        let schema = Codec.integer(range).schema.adding(value.map { ["default": .integer($0)] } ?? [:])
        return QueryParameter(name, summary, schema, example: example) { query, name throws(RPCError) in
            try query.integer(name, in: range)
        }
    }
}

extension QueryParameter where Value == UUID {
    static func id(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(name, summary, Codec.uuid.schema) { query, name throws(RPCError) in try query.id(name) }
    }
}
