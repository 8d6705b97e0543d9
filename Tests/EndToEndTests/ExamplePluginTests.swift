import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

private let folder = Program.repository + "/Services/Examples"

private let manifests = [
    "likes": """
    {"name":"likes","socket":"likes.sock","contracts":{"likes":1},"timeout_ms":60000,
     "enriches":[{"item":"feed","method":"likes.counts","as":"likes"}],
     "http":{"GET /v1/likes/{id}":"likes.get","POST /v1/likes":"likes.add"}}
    """,
    "places": """
    {"name":"places","socket":"places.sock","contracts":{"places":1},"timeout_ms":60000,
     "enriches":[{"item":"feed","method":"places.coordinates","as":"place"}]}
    """,
]

private let ids = ["5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01", "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D02"]

private func startLikes(_ root: String) async throws -> RunningProgram {
    let likes = try Program(path: "/usr/bin/env").start(
        ["python3", folder + "/likes.py"], environment: ["ROOT": root], errors: nil)
    #expect(await likes.errors.wait(for: "serving on"), "\(likes.errors.text)")
    return likes
}

/// A deployment with two items, whose plugins are ready.
private func withPlugins(_ body: (Deployment, RunningProgram) async throws -> Void) async throws {
    try await Deployment.with(manifests: manifests) { deployment in
        let likes = try await startLikes(deployment.root)
        defer { likes.send(SIGKILL) }
        let places = try Program("places-service").start(["--root", deployment.root], errors: nil)
        defer { places.send(SIGKILL) }
        try await places.serves()
        let items = zip(ids, ["Salvador, Brazil", "Nowhere"]).map {
            #"{"id":"\#($0)","location":"\#($1)","image":"https://example.org/a.jpg"}"#
        }
        let published = try await deployment.gateway(
            "call", "feed.publish", #"{"items":[\#(items.joined(separator: ","))]}"#)
        #expect(published.status == 0, "\(published.errors)")
        // The gateway reconnects after a pause.
        try await eventually {
            try await deployment.gateway("plugins").output.matches(of: /(likes|places) +ready/).count == 2
        }
        try await body(deployment, likes)
    }
}

private func withShared(_ body: @Sendable (Deployment) async throws -> Void) async throws {
    try await withPlugins { deployment, _ in try await body(deployment) }
}

/// The plugins in `Services/Examples`, behind a real gateway.
@Suite(.deployment(with: withShared)) struct ExamplePluginTests {
    private let deployment = Deployment.ofSuite

    @Test(arguments: ["python", "typescript"]) func `a client of a running plugin can be written`(language: String)
        async throws
    {
        let written = try await deployment.gateway("client", language, "places")
        #expect(written.status == 0 && written.output.contains("places.coordinates"), "\(written.errors)")
        let unknown = try await deployment.gateway("client", language, "nothing")
        #expect(unknown.status == 64 && unknown.errors.contains("unknown contract nothing. Known: "))
    }

    @Test func `both add to the feed on the command line, over HTTP and on the page`() async throws {
        for (arguments, count) in [
            (["likes.add", "image_id=\(ids[0])"], 1), (["likes.add", "image_id=\(ids[0].lowercased())"], 2),
            (["likes.add", "image_id=\(ids[1])", "id=\(ids[0])"], 1),
            (["likes.add", "image_id=\(ids[1])", "id=\(ids[0])"], 1),
        ] {
            let called = try await call(deployment, arguments)
            #expect(called.status == 0 && called.output.contains("\"count\":\(count)"), "\(called.errors)")
        }
        let feed = try await complete("LIKES", "PLACE") { try await deployment.gateway("feed").output }
        let lines = feed.split(separator: "\n")
        #expect(lines[1].contains("LIKES") && lines[1].contains("PLACE"), "\(feed)")
        #expect(lines[2].hasSuffix("2      12.97° S, 38.51° W") && lines[3].contains("Nowhere"), "\(feed)")
        let json = try await complete(#""likes":"#, #""place":"#) {
            try await deployment.gateway("feed", "--json").output
        }
        #expect(
            json.contains(
                #""extensions":{"likes":2,"place":{"latitude":-12.97,"longitude":-38.51,"text":"12.97° S, 38.51° W"}}"#
            ),
            "\(json)")
        #expect(json.contains(#""extensions":{"likes":1}"#))

        let base = "http://127.0.0.1:\(try deployment.httpPort())"
        let page = try await complete(">likes</dt>", ">place</dt>") {
            try await curl(base + "/", "-H", "Accept: text/html")
        }
        #expect(page.contains(#">likes</dt> <dd dir="auto">2</dd>"#))
        #expect(page.contains(#">place</dt> <dd dir="auto">12.97° S, 38.51° W</dd>"#))
        let answer = try await complete(#""likes":"#, #""place":"#) { try await curl(base + "/v1/feed") }
        #expect(answer.contains(#""extensions":{"likes":2,"place":{"#))
        #expect(try await curl(base + "/v1/likes/\(ids[0])") == #"{"image_id":"\#(ids[0])","count":2}"#)
        #expect(try await curl(base + "/v1/likes/x", "-i").contains("404 Not Found"))
        #expect(
            try await curl(base + "/openapi.json").contains(#""summary":"Return the number of likes of an image.""#)
        )
    }

    /// An output to which both plugins have added. A feed waits for a plugin only half a second, which a busy machine can exceed.
    private func complete(_ marks: String..., of output: () async throws -> String) async throws -> String {
        var latest = ""
        try await eventually {
            latest = try await output()
            return marks.allSatisfy(latest.contains)
        }
        return latest
    }

    @Test func `likes survive the death of their process, and the feed does without it meanwhile`() async throws {
        try await withPlugins { deployment, likes in
            _ = try await call(deployment, ["likes.add", "image_id=\(ids[0])"])
            likes.send(SIGKILL)
            _ = await likes.ended()
            // What the process was writing when it was killed.
            let file = deployment.root + "/data/likes.jsonl"
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(#"{"id":"5B0C"#.utf8))
            try handle.close()
            let without = try await deployment.gateway("feed", "--json")
            #expect(without.status == 0 && without.output.contains(ids[0]) && without.output.contains("Salvador"))
            #expect(without.output.contains(#""problems":[{"service":"likes""#), "\(without.output)")

            let again = try await startLikes(deployment.root)
            defer { again.send(SIGKILL) }
            try await eventually { try await deployment.gateway("feed", "--json").output.contains(#""likes":1"#) }
            #expect(
                try await call(deployment, ["likes.add", "image_id=\(ids[0])"]).output.contains("\"count\":2"))
        }
    }

    @Test func `invalid calls are refused with the place of the fault`() async throws {
        let (image, other) = (UUID().uuidString, UUID().uuidString)
        _ = try await call(deployment, ["likes.add", "image_id=\(image)", "id=\(other)"])
        for (arguments, status, complaint) in [
            (["likes.get"], 64, "id: is missing"), (["likes.get", "id=x"], 64, "id: must be a UUID"),
            (["likes.get", "id=\(image)", "a=1"], 64, "a: is not a known member"),
            (["likes.counts", "image_ids=[]"], 64, "image_ids: must have at least 1 elements"),
            (["likes.counts", "image_ids=[3]"], 64, "image_ids[0]: must be of the type string"),
            (["likes.remove"], 64, "there is no method likes.remove"),
            (["likes.add", "image_id=\(ids[1])", "id=\(other)"], 73, "this like exists for another image"),
            (["places.coordinates", "image_ids=[]"], 64, "image_ids: must have at least 1 elements"),
        ] as [([String], Int32, String)] {
            let refused = try await call(deployment, arguments)
            #expect(
                refused.status == status && refused.errors.contains(complaint), "\(arguments): \(refused.errors)")
        }
        #expect(try await deployment.gateway("describe", "likes").output.contains("Like an image."))
        #expect(try await deployment.gateway("health").status == 0)
        let statistics = try await deployment.gateway("stats", "likes")
        #expect(statistics.status == 64 && statistics.output.isEmpty)
        #expect(
            statistics.errors.hasPrefix(
                "gateway: likes has no statistics: it does not have the optional method rpc.stats"),
            "\(statistics.errors)")
    }

    @Test func `a second process of a plugin refuses to start`() async throws {
        let second = try await Program(path: "/usr/bin/env").run(
            ["python3", folder + "/likes.py"], environment: ["ROOT": deployment.root])
        #expect(second.status == 1 && second.errors.contains("another process serves"))
    }

    private func call(_ deployment: Deployment, _ arguments: [String]) async throws -> Program.Outcome {
        try await deployment.gateway(["call", "--json"] + arguments)
    }

    private func curl(_ url: String, _ options: String...) async throws -> String {
        try await Program(path: "/usr/bin/env").run(["curl", "-s", url] + options).output
    }
}
