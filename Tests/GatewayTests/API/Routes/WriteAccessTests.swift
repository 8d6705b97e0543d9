import Foundation
import RPCTestKit
import Testing

@testable import gateway

struct WriteAccessTests {
    private static let tokens = ["the-first-token-0123456789", "the-second-token-0123456789"]

    @Test(arguments: ["\u{FEFF}%", "%\r\n", " \u{FEFF}%\n"])
    func `white space and the byte order mark of an editor are no part of a token`(text: String) throws {
        let token = try #require(WriteToken(text.replacing("%", with: Self.tokens[0])))
        #expect(token.matches(Self.tokens[0]))
        #expect(WriteToken("\u{FEFF}short") == nil)
    }

    @Test func `a token that cannot change keeps its sessions`() throws {
        #expect(WriteAccess(token: nil).current == nil)
        let access = WriteAccess(token: WriteToken(Self.tokens[0]))
        let session = try #require(access.current).sessions.begin(.now)
        #expect(try #require(access.current).sessions.isValid(session, .now))
        #expect(try #require(access.current).token.matches(Self.tokens[0]))
    }

    @Test func `a file is read again when it has changed, and the sessions of the token before end`() async throws {
        try await withTemporaryDirectory { directory in
            let (path, log) = (directory + "/http-token", RecordedLog())
            func write(_ text: String) throws {
                // As editors do.
                try Data(text.utf8).write(to: URL(filePath: path + ".new"))
                try? FileManager.default.removeItem(atPath: path)
                try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
            }
            let access = WriteAccess(token: nil, file: path, logger: log.logger)
            #expect(access.current == nil)
            try write(Self.tokens[0] + "\n")
            let first = try #require(access.current)
            #expect(first.token.matches(Self.tokens[0]))
            let session = first.sessions.begin(.now)
            #expect(try #require(access.current).sessions.isValid(session, .now))

            try write(Self.tokens[1])
            let second = try #require(access.current)
            #expect(second.token.matches(Self.tokens[1]) && !second.token.matches(Self.tokens[0]))
            #expect(!second.sessions.isValid(session, .now))

            try write("short")
            #expect(access.current == nil && access.current == nil)
            #expect(log.lines.count { $0.contains("comments over HTTP are off") && $0.contains("16 to 1024") } == 1)
            try FileManager.default.removeItem(atPath: path)
            #expect(access.current == nil)
        }
    }
}
