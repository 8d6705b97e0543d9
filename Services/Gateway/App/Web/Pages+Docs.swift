import FeedContract
import HTTPTypes
import JSON
import Presentation
import RPC

extension Pages {
    /// The description of the API for people, from the declarations that `/openapi.json` describes. What it says about the
    /// requests is in English, as in that document.
    func docs(_ reader: Reader, _ options: CallOptions) async -> HTTPAnswer {
        // The examples work as they are if the feed has an item.
        let newest = await result { () throws(RPCError) in try await gateway.feed.page(LoadFeed(limit: 1), options) }
        let id = newest.value?.items.first?.id.uuidString ?? "IMAGE_ID"
        let model: [String: Any?] = [
            "about": OpenAPIDocument.summary, "format": "OpenAPI 3.1",
            "endpoints": (API.endpoints + (await gateway.publishedEndpoints())).map { describe($0, id: id) },
            "errorMembers": members(of: Problem.schema), "errorType": Problem.contentType,
        ]
        let texts = Texts(reader.language)
        let frame = Frame(
            title: texts[.apiTitle], description: texts[.apiDescription], canonicalPath: "/docs", kind: "docs")
        return page("docs", frame, model, for: reader)
    }

    private func describe(_ endpoint: Endpoint, id: String) -> [String: Any] {
        let variables = endpoint.path.variables.map { name, schema in
            parameter(name, "path, \(schema.text)", "", isRequired: true)
        }
        let query = endpoint.parameters.map {
            parameter($0.name, "query, \($0.schema.text)", $0.summary, isRequired: $0.isRequired)
        }
        let parameters = variables + query
        let answers = endpoint.answers.filter { $0.contentType != Problem.contentType }
        let errors = endpoint.answers.filter { $0.contentType == Problem.contentType }
        let model: [String: Any?] = [
            "operation": endpoint.name, "method": endpoint.method.rawValue, "path": endpoint.path.text,
            "summary": endpoint.summary, "curl": endpoint.curl(at: publicURL, id: id),
            "hasParameters": !parameters.isEmpty, "parameters": parameters,
            "bodyTypes": endpoint.body.map { $0.types.map(\.name).joined(separator: ", ") },
            "bodyMembers": endpoint.body.map { members(of: $0.schema, isRequest: true) } ?? [],
            "answers": answers.map(describe), "hasErrors": !errors.isEmpty, "errors": errors.map(describe),
        ]
        return model.compactMapValues(\.self)
    }

    private func describe(_ answer: AnswerDescription) -> [String: Any] {
        let members = answer.schema.map { self.members(of: $0) } ?? []
        return [
            "status": answer.status, "meaning": answer.summary, "type": answer.contentType ?? "",
            "hasMembers": !members.isEmpty, "members": members,
        ]
    }

    /// - Parameter isRequest: whether it matters to the reader which members are required.
    private func members(of schema: JSONSchema, isRequest: Bool = false) -> [[String: Any]] {
        schema.members.map {
            parameter($0.path, $0.schema.text, $0.summary, isRequired: isRequest && $0.isRequired)
        }
    }

    private func parameter(_ name: String, _ values: String, _ meaning: String, isRequired: Bool) -> [String: Any] {
        ["name": name, "values": values, "meaning": meaning, "isRequired": isRequired]
    }
}
