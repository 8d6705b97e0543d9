import Foundation
import RPCTestKit
import Testing

@testable import gateway

@Suite struct OpenAPITests {
    @Test func `the description lists every endpoint with its parameters and answers`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/openapi.json")
            #expect(reply.status == 200 && reply["Content-Type"] == "application/json")
            let document = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
            #expect(document["openapi"] as? String == "3.1.0")
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            for endpoint in API.endpoints {
                let operation = paths[endpoint.path.text]?[endpoint.method.rawValue.lowercased()]
                #expect(operation?["operationId"] as? String == endpoint.name)
                let names = (operation?["parameters"] as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
                let expected = endpoint.path.variables.map(\.name) + endpoint.parameters.map(\.name)
                #expect(names == expected)
                let answers = Set((operation?["responses"] as? [String: Any] ?? [:]).keys)
                #expect(answers == Set(endpoint.answers.map { "\($0.status)" } + ["default"]))
            }
        }
    }

    @Test func `the limits of a parameter are described`() throws {
        let feed = try #require(API.endpoints.first { $0.name == "loadFeed" })
        let limit = try #require(feed.parameters.first { $0.name == "limit" })
        #expect("\(limit.schema.json)".contains(#""minimum":1,"maximum":100,"default":10"#))
    }

    @Test func `a body has an example, and as a form no null`() async throws {
        try await RunningAPI.with { api in
            let document = try await api.exchange("/openapi.json").text
            #expect(document.contains(#""id":{"format":"uuid","type":["string","null"]"#))
            let words = #""description":"Makes the request repeatable.""#
            #expect(document.contains(#""id":{"format":"uuid",\#(words),"type":"string"}"#))
            #expect(document.contains(#""example":{"message":"Lovely light!","username":"ana"}"#))
        }
    }
}
