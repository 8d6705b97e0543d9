import Foundation
import HTTPTypes
import JSON
import NIOCore
import RPC

/// An endpoint of the HTTP API: a method on a path. The router serves the endpoints, and `/openapi.json` describes them,
/// so that both always agree.
struct Endpoint: Sendable {
    /// The name of the operation in clients that are generated from the description.
    let name: String
    let method: HTTPRequest.Method
    let path: PathTemplate
    let summary: String
    let parameters: [ParameterDescription]

    /// For endpoints that take a body.
    let body: BodyDescription?
    let answers: [AnswerDescription]

    /// Whether scripts of other sites may read the answers (CORS).
    let isReadableAcrossSites: Bool

    /// Answers a request. Cancelling the task cancels the calls to the services. A `GET` endpoint also answers `HEAD`.
    let answer: @Sendable (API, EndpointRequest) async throws(RPCError) -> HTTPAnswer

    init(
        _ method: HTTPRequest.Method, _ path: String, _ name: String, _ summary: String,
        parameters: [ParameterDescription] = [], body: BodyDescription? = nil, answers: [AnswerDescription],
        isReadableAcrossSites: Bool? = nil,
        _ answer: @escaping @Sendable (API, EndpointRequest) async throws(RPCError) -> HTTPAnswer
    ) {
        self.name = name
        self.method = method
        self.path = PathTemplate(path)
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answers = answers
        self.isReadableAcrossSites = isReadableAcrossSites ?? (method == .get)
        self.answer = answer
    }

    static let unknownPath = RPCError(.notFound, "the API has no such path; the id of an image is a UUID")
}

/// A request whose path, method and size are valid.
struct EndpointRequest: Sendable {
    let head: HTTPRequest

    /// The value of the variable part of the path.
    let value: PathTemplate.Value
    let target: RequestTarget
    let body: ByteBuffer
    let options: CallOptions
    let caller: HTTPCaller

    var query: Query { Query(target.query) }

    /// The id in the path.
    var id: UUID {
        get throws(RPCError) {
            guard case .id(let id) = value else { throw Endpoint.unknownPath }
            return id
        }
    }
}

/// The body of a request, JSON or also a form with the same members, for the API's description.
struct BodyDescription: Sendable {
    let schema: JSONSchema
    let example: RawJSON
    private let takesForms: Bool

    init<Value>(_ codec: Codec<Value>, example: Value) {
        (schema, self.example, takesForms) = (codec.schema, RawJSON(example, as: codec), true)
    }

    /// A body that must be JSON.
    init(_ schema: JSONSchema) { (self.schema, example, takesForms) = (schema, .emptyObject, false) }

    /// The media types with the schema of each.
    var types: [(name: String, schema: JSONSchema)] {
        [("application/json", schema)]
            + (takesForms ? [("application/x-www-form-urlencoded", schema.withoutNull)] : [])
    }
}

/// An answer of an endpoint, for the API's description.
struct AnswerDescription: Sendable {
    let status: Int
    let summary: String
    let contentType: String?
    let schema: JSONSchema?

    /// A JSON document.
    static func json<Value>(_ summary: String, _ codec: Codec<Value>, status: Int = 200) -> AnswerDescription {
        AnswerDescription(status: status, summary: summary, contentType: "application/json", schema: codec.schema)
    }

    /// A body that is not described further.
    static func body(_ summary: String, _ contentType: String, status: Int = 200) -> AnswerDescription {
        AnswerDescription(status: status, summary: summary, contentType: contentType, schema: nil)
    }

    /// The problem document of an error.
    static func problem(_ status: Int, _ summary: String) -> AnswerDescription {
        AnswerDescription(
            status: status, summary: summary, contentType: Problem.contentType, schema: Problem.schema)
    }
}
