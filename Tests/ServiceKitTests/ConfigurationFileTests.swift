import ArgumentParser
import Foundation
import RPCTestKit
import ServiceKit
import Testing

struct ConfigurationFileTests {
    /// Options of every kind.
    private struct Program: ParsableArguments {
        @Option var port: Int?
        @Option var pin: [String] = []
        @Option var limit: [String] = []
        @Flag var quiet = false

        func validate() throws {
            if quiet, port != nil { throw ValidationError("--quiet has no port") }
        }
    }

    private func words(_ json: String, _ sections: [String] = ["services", "feed"]) async throws -> [String] {
        try await withTemporaryDirectory { directory in
            try Data(json.utf8).write(to: URL(filePath: directory + "/config.json"))
            return try ConfigurationFile(path: directory + "/config.json").words(for: Program.self, in: sections)
        }
    }

    @Test func `a file that was there and is missing is refused, because an edge would become an authority`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try Data("{}".utf8).write(to: URL(filePath: directory + "/config.json.applied"))
            let rejection = #expect(throws: FileRejection.self) {
                try ConfigurationFile(path: directory + "/config.json")
            }
            #expect(rejection?.description.contains("is missing") == true)
        }
    }

    @Test func `without a file nothing is set`() throws {
        #expect(try ConfigurationFile(path: "/nowhere/config.json").words(for: Program.self, in: ["feed"]).isEmpty)
    }

    @Test(
        arguments: [
            ("{}", []), (#"{"site":{"a":1},"comments":{"x":1}}"#, []), (#"{"feed":{"port":80}}"#, ["--port=80"]),
            (#"{"feed":{"port":"80"},"services":{"pin":"a"}}"#, ["--pin=a", "--port=80"]),
            (#"{"feed":{"pin":["a","--b",3]}}"#, ["--pin=a", "--pin=--b", "--pin=3"]),

            (#"{"feed":{"limit":{"x":1,"y":"2"}}}"#, ["--limit=x=1", "--limit=y=2"]),
            (#"{"feed":{"quiet":true}}"#, ["--quiet"]), (#"{"feed":{"quiet":false}}"#, []),
        ] as [(String, [String])])
    func `members are options of the program, those of all services first`(json: String, expected: [String])
        async throws
    {
        #expect(try await words(json) == expected)
    }

    @Test(arguments: [
        ("[]", "config.json: must be an object"), ("{", "config.json:1: "),
        (#"{"feed":{},"feed":{}}"#, "config.json:1: "),
        ("{\n\"feed\":1}", "config.json:2: feed: must be an object"),
        ("{\"feed\":{\n\"prot\":80}}", "config.json:2: feed.prot: Unknown option '--prot'. Did you mean '--port'?"),
        ("{\"feed\":{\"pin\":\"a\",\n\n\"port\":\"x\"}}", "config.json:3: feed.port: The value 'x' is invalid"),
        (#"{"feed":{"port":null}}"#, "feed.port: must be a string"),
        (#"{"feed":{"pin":[true]}}"#, "feed.pin: must be a string"), (#"{"feed":{"pin":"\u0000"}}"#, "U+0000"),
        (#"{"feed":{"quite":false}}"#, "feed.quite: Unknown option"), (#"{"feed":{"quiet":"yes"}}"#, "feed.quiet: "),
        (#"{"feed":{"pin":true}}"#, "feed.pin: Missing value"),
        (#"{"feed":{"root":"/x"}}"#, "feed.root: belongs on the"),
        (#"{"feed":{"-x":"/x"}}"#, "feed.-x: is not the name of an option"),
        // Each is right alone.
        ("{\"services\":{\"port\":1},\n\"feed\":{\"quiet\":true}}", "services.port: --quiet has no port"),
        // Two faults: the first.
        (#"{"feed":{"port":"x","prot":1}}"#, "feed.port: The value 'x' is invalid"),
    ])
    func `an invalid file is refused with its line and the member`(json: String, reason: String) async throws {
        let rejection = await #expect(throws: FileRejection.self) { try await words(json) }
        #expect(rejection?.description.contains(reason) == true, "\(rejection?.description ?? "")")
    }
}
