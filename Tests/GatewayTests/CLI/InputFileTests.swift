import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct InputFileTests {
    @Test(arguments: [(4, true), (5, false)]) func `a file is read up to the limit, and not one byte more`(
        bytes: Int, isRead: Bool
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/a"
            try Data(count: bytes).write(to: URL(filePath: path))
            if isRead {
                #expect(try InputFile(path: path).read(upTo: 4).count == bytes)
            } else {
                let error = #expect(throws: RPCError.self) { try InputFile(path: path).read(upTo: 4) }
                #expect(error?.kind == .tooLarge)
            }
        }
    }

    @Test func `a pipe is read, and refused where only files may be`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            let error = #expect(throws: RPCError.self) { try InputFile(path: path).read(upTo: 4, isRegular: true) }
            #expect(error?.message == "cannot read file \(path): it is not a regular file")
        }
    }

    @Test(arguments: [
        ("caf\u{FFFD}.jpg", "its name is not in UTF-8; rename it"), ("b", "it does not exist; check the path"),
    ])
    func `a file that is not there is told from one whose name was not read`(name: String, reason: String) async throws
    {
        let error = #expect(throws: RPCError.self) { try InputFile(path: "/nonexistent/\(name)").read(upTo: 4) }
        #expect(error?.message == "cannot read file /nonexistent/\(name): \(reason)")
    }

    @Test func `text must be UTF-8, and loses the line feed at its end`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/a"
            try Data("á\n\n".utf8).write(to: URL(filePath: path))
            #expect(try InputFile(path: path).text(upTo: 10) == "á\n")
            try Data([0xFF]).write(to: URL(filePath: path))
            let error = #expect(throws: RPCError.self) { try InputFile(path: path).text(upTo: 10) }
            #expect(error?.message == "file \(path) is not text in UTF-8")
        }
    }
}
