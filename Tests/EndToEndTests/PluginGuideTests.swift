import Foundation
import RPCTestKit
import Testing

/// Every step of "Write a plugin in ten minutes" (`Services/Examples/README.md`), in a running deployment.
@Suite struct PluginGuideTests {
    private static let guide = Program.repository + "/Services/Examples/README.md"

    /// The commands of the guide, one block for each step.
    private static var steps: [String] {
        get throws {
            try String(contentsOfFile: guide, encoding: .utf8).components(separatedBy: "```sh\n").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
        }
    }

    @Test func `every step works as it is written`() async throws {
        let steps = try Self.steps
        try #require(steps.count == 7)
        try await SupervisedDeployment.with { deployment, _ in
            let feed = try await deployment.gateway("feed", "--limit", "1", "--json").output
            let id = String(try #require(feed.firstMatch(of: /"id":"([0-9A-F-]{36})"/)?.output.1))
            let port = try deployment.httpPort()
            var outputs: [String] = []
            for step in steps {
                let script = step.replacing("IMAGE_ID", with: id).replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
                var run: Program.Outcome?
                // A feed waits for a plugin only half a second, which a busy machine can exceed.
                try await eventually {
                    let latest = try await Program(path: "/bin/sh").run(
                        ["-ec", "cd '\(Program.repository)'\n" + script],
                        environment: [
                            "PATH": deployment.root + "/bin:/usr/bin:/bin", "ROOT": deployment.root,
                            "LC_ALL": "C.UTF-8",
                        ])
                    run = latest
                    return !latest.output.contains(#""problems":[{"#) && !latest.errors.contains("is not available")
                }
                let outcome = try #require(run)
                #expect(outcome.status == 0, "\(step): \(outcome.output) \(outcome.errors)")
                outputs.append(outcome.output)
                // The reader of the guide is slower than the gateway.
                if step.contains("plugins.d") {
                    try await eventually {
                        try await deployment.gateway("plugins").output.contains(/likes +ready/)
                    }
                }
            }
            #expect(outputs[2].contains("likes"), "\(outputs[2])")
            #expect(outputs[3].contains("Like an image.") && outputs[3].contains(#""count""#), "\(outputs[3])")
            #expect(outputs[4].contains("LIKES") && outputs[4].contains(#""likes":1}"#), "\(outputs[4])")
            #expect(outputs[5].contains(#"{"image_id":"\#(id)","count":1}"#), "\(outputs[5])")
            #expect(outputs[5].contains(#""likes":1}"#), "\(outputs[5])")
        }
    }

    @Test func `the commands of the guide are those of the program that it copies`() throws {
        let text = try String(contentsOfFile: Self.guide, encoding: .utf8)
        let program = try String(contentsOfFile: Program.repository + "/Services/Examples/likes.py", encoding: .utf8)
        let shown = try #require(
            text.components(separatedBy: "```python\n").dropFirst().first?.components(separatedBy: "\n```").first)
        #expect(program.contains(shown))
    }
}
