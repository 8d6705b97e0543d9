import JSON

/// The description of the API in OpenAPI 3.1, from the declarations that route its requests.
enum OpenAPIDocument {
    static let summary =
        "A feed of images with comments. Any server of this API can be the upstream of a deployment."

    static func json(_ endpoints: [Endpoint], version: String, server: PublicURL) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("openapi") { $0.string("3.1.0") }
            writer.member("info") { writer in
                writer.object { writer in
                    writer.member("title") { $0.string("Image feed") }
                    writer.member("version") { $0.string(version) }
                    writer.member("description") {
                        $0.string(summary)
                    }
                }
            }
            writer.member("servers") { writer in
                writer.array(["\(server)"]) { url, writer in writer.object { $0.member("url") { $0.string(url) } } }
            }
            writer.member("paths") { writer in
                writer.object { writer in
                    for path in paths(of: endpoints) {
                        writer.member(path) { writer in
                            writer.object { writer in
                                for endpoint in endpoints where endpoint.path.text == path {
                                    writer.member(endpoint.method.rawValue.lowercased()) { endpoint.write(to: &$0) }
                                }
                            }
                        }
                    }
                }
            }
            writer.member("components") { writer in
                writer.raw(
                    RawJSON(unchecked: Array(#"{"securitySchemes":{"token":{"type":"http","scheme":"bearer"}}}"#.utf8)))
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }

    private static func paths(of endpoints: [Endpoint]) -> [String] {
        endpoints.map(\.path.text).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension Endpoint {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("operationId") { $0.string(name) }
            writer.member("summary") { $0.string(summary) }
            let variables = path.variables.map { name, schema in
                (place: "path", ParameterDescription(name: name, summary: "", schema: schema, isRequired: true))
            }
            let inputs = variables + parameters.map { (place: "query", $0) }
            if !inputs.isEmpty {
                writer.member("parameters") { writer in
                    writer.array(inputs) { input, writer in input.1.write(in: input.place, to: &writer) }
                }
            }
            if let body {
                writer.member("requestBody") { writer in
                    writer.object { writer in
                        writer.member("required") { $0.boolean(true) }
                        writer.member("content") { writer in
                            writer.object { writer in
                                for (type, schema) in body.types {
                                    writer.member(type) { $0.schema(schema, example: body.example) }
                                }
                            }
                        }
                    }
                }
                writer.member("security") { writer in
                    writer.array(["token"]) { name, writer in
                        writer.object { $0.member(name) { $0.array([Int]()) { _, _ in } } }
                    }
                }
            }
            writer.member("responses") { writer in
                writer.object { writer in
                    for answer in answers { writer.member("\(answer.status)") { answer.write(to: &$0) } }
                    writer.member("default") { AnswerDescription.problem(500, "Any other error.").write(to: &$0) }
                }
            }
        }
    }
}

extension ParameterDescription {
    fileprivate func write(in place: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name") { $0.string(name) }
            writer.member("in") { $0.string(place) }
            if isRequired { writer.member("required") { $0.boolean(true) } }
            if !summary.isEmpty { writer.member("description") { $0.string(summary) } }
            writer.member("schema") { $0.raw(schema.json) }
            if let example { writer.member("example") { $0.integer(example) } }
        }
    }
}

extension AnswerDescription {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("description") { $0.string(summary) }
            guard let contentType else { return }
            writer.member("content") { writer in
                writer.object { writer in
                    writer.member(contentType) { writer in
                        if let schema { writer.schema(schema) } else { writer.object { _ in } }
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        self.name(name)
        value(&self)
    }

    /// A media type with a schema.
    fileprivate mutating func schema(_ schema: JSONSchema, example: RawJSON? = nil) {
        object { writer in
            writer.member("schema") { $0.raw(schema.json) }
            if let example { writer.member("example") { $0.raw(example) } }
        }
    }
}
