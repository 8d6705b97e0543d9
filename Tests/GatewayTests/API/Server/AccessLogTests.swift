import Foundation
import Logging
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

/// The file of `--access-log`.
@Suite struct AccessLogTests {
    private static let traced = ["traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `a request is one line, without the values of its query`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/access.log"
            let access = try AccessLog(path, logger) { noon }
            try await RunningAPI.with(access: access) { api in
                let reply = try await api.exchange("/v1/feed?limit=3", Self.traced)
                await api.metrics.wait { $0.underWay == 0 }
                let parts = [
                    #""method":"GET","route":"/v1/feed","path":"/v1/feed","status":200,"bytes":\#(reply.body.count)"#,
                    #","seconds":0,"trace":"0af7651916cd43dd8448eb211c80319c"}"#,
                ]
                let line = try #require(try Self.lines(path).first)
                #expect(line.contains(/^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",/))
                #expect(line.hasSuffix(parts.joined()), "\(line)")
            }
        }
    }

    @Test func `a file that was renamed is replaced by a new one`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/access.log"
            let time = Mutex(noon)
            let access = try AccessLog(path, logger) { time.withLock { $0 } }
            try await RunningAPI.with(access: access) { api in
                for target in ["/1", "/2", "/3"] {
                    _ = try await api.exchange(target)
                    await api.metrics.wait { $0.underWay == 0 }
                    if target == "/1" { try FileManager.default.moveItem(atPath: path, toPath: path + ".1") }
                    if target == "/2" { time.withLock { $0 += AccessLog.lookInterval } }
                }
            }
            #expect(try Self.lines(path + ".1").count == 2)
            #expect(try Self.lines(path).count == 1)
        }
    }

    @Test func `a file that cannot be opened is one line with the remedy, and the gateway does not start`() async throws
    {
        try await withTemporaryDirectory { root in
            let outcome = try await Program("gateway").run(["serve", "--root", root, "--access-log", "/no/such/file"])
            #expect(outcome.status == EX_CANTCREAT)
            #expect(outcome.errors.contains("Cannot open the access log /no/such/file: No such file or directory."))
        }
    }

    @Test(arguments: ["0.0009", "0", "-1", "nan", "3600.1"]) func `an invalid time of slow requests is invalid usage`(
        seconds: String
    ) async throws {
        #expect(try await Program("gateway").run(["serve", "--slow-request=\(seconds)"]).status == 64)
    }

    @Test(arguments: ["0.001", "3600"]) func `the limits of the time of slow requests are valid`(
        seconds: String
    ) async throws {
        try await withTemporaryDirectory { root in
            let arguments = ["serve", "--root", root, "--check", "--slow-request=\(seconds)"]
            let outcome = try await Program("gateway").run(arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func `a log that cannot be written is one line until it can be written again`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, log) = (directory + "/access.log", RecordedLog())
            let time = Mutex(noon)
            let access = try AccessLog(path, log.logger) { time.withLock { $0 } }
            try await RunningAPI.with(access: access) { api in
                for target in ["/1", "/2", "/2 again", "/3", "/4"] {
                    if target == "/2" {
                        try FileManager.default.removeItem(atPath: path)
                        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                    }
                    if target == "/4" { try FileManager.default.removeItem(atPath: path) }
                    // Most requests come between two looks for the file.
                    if !target.hasSuffix("again") { time.withLock { $0 += AccessLog.lookInterval } }
                    _ = try await api.exchange(String(target.prefix(2)))
                    await api.metrics.wait { $0.underWay == 0 }
                }
            }
            #expect(try Self.lines(path).count == 1)
            #expect(log.lines.count { $0.contains("lines of the access log are missing") } == 1)
        }
    }
}
