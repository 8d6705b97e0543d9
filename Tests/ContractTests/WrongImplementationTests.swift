import ContractKit
import Foundation
import JSON
import RPCTestKit
import Testing

/// Proves that `gateway verify` finds what is wrong.
@Suite struct WrongImplementationTests {
    @Test func `a right implementation of likes passes`() async throws {
        let report = try await Verification([try suite("likes")], of: .likes(), timeout: patientTime).run()
        #expect(report.isPassed, "\(report.text)")
    }

    @Test(arguments: [
        ("counts again", "result.count must be 3, is 4"),
        ("takes any image", "error is missing"),
        ("compares case", "result.count must be 3, is 1"),
        ("counts zero", "must be absent, is 0"),
        ("answers text", #"result.count must be 1, is "1""#),
        ("has no limit", "error is missing"),
        ("ignores members", "error is missing"),
        ("mixes up codes", "error.code must be -32009 for already_exists, is 7"),
        ("answers twice", "answered a call twice"),
        ("dies", "closed the connection"),
        ("forgets", "result.count must be 2, is 1"),
        ("answers another id", "an answer whose id is of no call"),
        ("writes no version", #"a message without "jsonrpc":"2.0""#),
        ("floods", "answered a call twice"),
        // As programs in Python are wrong.
        ("answers lower case", "result.image_id must be"),
        ("accepts any spelling", "error is missing"),
        ("checks the first id", "error is missing"),
        ("refuses 100", "result is missing"),
        ("reports internal", "error.kind must be"),
        ("names nothing", #"error.message must name params.image_ids, is "bad request""#),
        ("counts refused", "result.count must be 0, is 1"),
        ("counts duplicates", "must be 3, is 6"),
        ("knows only liked images", "result is missing"),
        ("answers null", "must be absent, is null"),
        ("answers floats", "result.count must be 1, is 0.5"),
        ("answers ids as text", "an answer whose id is of no call"),
        ("reads 1024 bytes", "an answer whose id is of no call"),
        ("writes little-endian", "sent a frame of kind"),
    ])
    func `a wrong implementation of likes is found`(fault: String, difference: String) async throws {
        let report = try await Verification([try suite("likes")], of: .likes(fault), timeout: patientTime).run()
        #expect(!report.isPassed)
        #expect(report.text.contains(difference), "\(report.text)")
    }

    @Test func `a length in characters is found by the cases of the protocol`() async throws {
        let suites = [try suite("likes"), try suite("protocol")]
        let report = try await Verification(suites, of: .likes("counts characters"), timeout: .seconds(5)).run()
        #expect(!report.isPassed)
        let right = try await Verification(suites, of: .likes(), timeout: patientTime).run()
        #expect(right.isPassed, "\(right.text)")
    }

    @Test(arguments: ["hangs", "sends half a frame"])
    func `an implementation that does not answer ends the case in time`(fault: String) async throws {
        let liking = try suite("likes")
        let verification = Verification([liking], of: .likes(fault), timeout: .seconds(1))
        let report = try await verification.run()
        #expect(report.text.contains("sent nothing within 1 s"), "\(report.text)")
        // The steps after it are not played, so that the time is limited for each case and not for each step.
        #expect(report.text.contains("did not end") || report.skipped > 0)
    }
}

@Suite struct VerificationTests {
    @Test func `a case that needs a fresh instance is skipped on a running one, and then nothing is verified`()
        async throws
    {
        let report = try await played(#"{"name":"a","call":"rpc.ping","result":{}}"#, isFresh: true)
        #expect(report.failed == 0 && report.passed == 0 && !report.isPassed)
        #expect(report.text.contains("needs a fresh instance: use --start"))
    }

    @Test func `a program that ends is reported once, with its last lines`() async throws {
        let command = "echo first; echo the reason >&2; exit 3"
        let report = try await Verification([try suite("likes")], of: .command(command)).run()
        #expect(report.failed == 1)
        #expect(report.text.contains("ended with exit code 3 before its socket accepted a connection"))
        #expect(report.text.contains("the reason"))
        #expect(report.text.contains("the implementation does not start"))
    }

    @Test func `a socket on which nothing listens is reported`() async throws {
        let verification = Verification([try suite("likes")], of: .socket("/nonexistent/likes.sock"))
        let failure = await #expect(throws: NoInstance.self) { _ = try await verification.run() }
        #expect(failure?.description == "cannot connect to /nonexistent/likes.sock: No such file or directory")
    }

    @Test func `a started program is stopped, and its directory is removed`() async throws {
        let report = try await withTemporaryDirectory { directory in
            let subject = Subject.command(
                "echo {root} $$ > \(directory)/started; exec python3 '\(Self.likes)' {socket}")
            let report = try await Verification([try suite("likes")], of: subject, timeout: patientTime).run()
            let started = try String(contentsOfFile: directory + "/started", encoding: .utf8).split(separator: " ")
            #expect(!FileManager.default.fileExists(atPath: String(started[0])))
            #expect(kill(try #require(Int32(started[1].dropLast())), 0) == -1)
            return report
        }
        #expect(report.isPassed)
    }

    @Test func `a step that takes longer than its bound fails`() async throws {
        let report = try await played(
            #"{"name":"late","call":"conformance.sleep","params":{"ms":50},"result":{},"within_ms":10}"#)
        #expect(report.text.contains("time must be at most 10 ms, is"), "\(report.text)")
    }

    @Test(arguments: [
        #"{"name":"x","call":"conformance.count","params":{"to":3},"items":[{"number":0},{"number":1}],"end":{}}"#,
        #"{"name":"x","call":"conformance.count","params":{"to":1},"items":[{"number":0},{"number":1}]}"#,
        #"{"name":"x","call":"conformance.count","params":{"to":2},"items":[{"number":0},{"number":2}]}"#,
        #"{"name":"x","call":"conformance.count","params":{"to":0},"items":[],"end":{"result":{"items":1}}}"#,
        #"{"name":"x","call":"conformance.count","params":{"to":0},"items":[],"end":{"error":{"kind":"internal"}}}"#,
        #"{"name":"x","send":[{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}],"silent_ms":60000}"#,
        #"{"name":"x","send":[],"closed":true,"within_ms":1}"#,
        #"{"name":"x","call":"rpc.ping","error":{"kind":"internal"}}"#,
    ])
    func `what should have come is reported`(step: String) async throws {
        let report = try await played(step)
        #expect(report.failed == 1, "\(report.text)")
    }

    @Test func `a stream stays open between steps`() async throws {
        let report = try await played(
            #"{"name":"a","call":"conformance.count","params":{"to":4},"stream":"s","items":[{"number":0}]}"#,
            #"{"name":"b","call":"rpc.ping","result":{}}"#,
            #"{"name":"c","stream":"s","items":[{"number":1},{"number":2}]}"#,
            #"{"name":"d","stream":"s","items":[{"number":3}],"end":{"result":{"items":4}}}"#)
        #expect(report.isPassed, "\(report.text)")
    }

    @Test func `every format has the outcome of every step`() async throws {
        let report = try await played(
            #"{"name":"right & <good>","call":"rpc.ping","result":{}}"#,
            #"{"name":"wrong","call":"rpc.ping","result":{"b":{"$capture":"b"}}}"#,
            #"{"name":"unknown","call":"rpc.ping","params":{"a":"${b}"},"result":1}"#)
        #expect(report.passed == 1 && report.failed == 1 && report.skipped == 1)
        let json = try JSONValue(json: report.json)
        let outcomes = json["cases"]?.elements?.first?["steps"]?.elements?.map { $0["outcome"] }
        #expect(outcomes == ["passed", "failed", "skipped"])
        let tap = report.tap.split(separator: "\n").map(String.init)
        #expect(tap.prefix(3) == ["TAP version 14", "1..3", "ok 1 - test/case: right & <good>"])
        #expect(tap.contains("not ok 2 - test/case: wrong"))
        #expect(tap.last == "ok 3 - test/case: unknown # SKIP no earlier step captured ${b}")
        let junit = try XMLNames(of: report.junit)
        #expect(junit.names == ["testsuites", "testsuite", "testcase", "testcase", "failure", "testcase", "skipped"])
    }

    /// Plays steps against a server with the methods of conformance.
    private func played(_ steps: String..., isFresh: Bool = false) async throws -> VerificationReport {
        try await withTemporaryDirectory { directory in
            let folder = directory + "/test"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let text = #"{"about":"A test.","fresh":\#(isFresh),"steps":[\#(steps.joined(separator: ","))]}"#
            try Data(text.utf8).write(to: URL(filePath: folder + "/case.json"))
            return try await TestServer.with(ConformanceContract.table) { server in
                let suite = try ContractSuite(folder: folder)
                return try await Verification([suite], of: .socket("\(server.path)")).run()
            }
        }
    }

    private static let likes = Program.repository + "/Tests/ContractTests/Likes/likes.py"
}

/// The start tags of well-formed XML, in order.
private struct XMLNames {
    let names: [String]

    init(of text: String) throws {
        var open: [String] = []
        var names: [String] = []
        for match in text.matches(of: /<(\/?)(\w+)(?:[^<>"]|"[^<>"]*")*?(\/?)>/) {
            if match.1.isEmpty { names.append(String(match.2)) }
            if match.1.isEmpty, match.3.isEmpty { open.append(String(match.2)) }
            if !match.1.isEmpty { #expect(open.popLast() == String(match.2)) }
        }
        #expect(open == [])
        self.names = names
    }
}
