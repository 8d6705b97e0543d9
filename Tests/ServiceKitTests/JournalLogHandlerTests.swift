import Foundation
import Logging
import RPCTestKit
import Testing

@testable import ServiceKit

/// Log lines in systemd's journal. A datagram socket of the test is the journal.
@Suite struct JournalLogHandlerTests {
    @Test func `a line has its level and its metadata as fields, and a text of several lines its length`() async throws
    {
        try await withTemporaryDirectory { directory in
            let journal = try Journal(at: directory + "/journal")
            var handler = try #require(journal.handler())
            handler.logLevel = .debug
            let logger = Logger(label: "feed") { _ in handler }
            logger.warning("a store is slow", metadata: ["trace_id": "4bf9", "käse-2": "x=y"])
            #expect(
                journal.next() == [
                    "MESSAGE=a store is slow", "PRIORITY=4", "SYSLOG_IDENTIFIER=feed", "K_SE_2=x=y", "TRACE_ID=4bf9",
                ])
            logger.critical("two\nlines")
            #expect(
                journal.next() == [
                    "MESSAGE", "\u{9}\0\0\0\0\0\0\0two", "lines", "PRIORITY=2", "SYSLOG_IDENTIFIER=feed",
                ])
            for (level, priority) in [(Logger.Level.debug, 7), (.info, 6), (.notice, 5), (.error, 3)] {
                logger.log(level: level, "x")
                #expect(journal.next().contains("PRIORITY=\(priority)"))
            }
        }
    }

    @Test(arguments: [nil, "", "1:2", "x"])
    func `standard error that leads elsewhere is used as it is`(stream: String?) async throws {
        try await withTemporaryDirectory { directory in
            let journal = try Journal(at: directory + "/journal")
            #expect(journal.handler(stream: stream) == nil)
        }
    }

    @Test func `without a journal's socket standard error is used`() async throws {
        try await withTemporaryDirectory { directory in
            let journal = try Journal(at: directory + "/journal")
            try FileManager.default.removeItem(atPath: directory + "/journal")
            #expect(journal.handler() == nil)
        }
    }
}

private final class Journal {
    private let path: String
    private let descriptor: Int32
    private let standardError = Pipe()

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
    }

    deinit { close(descriptor) }

    func handler() -> JournalLogHandler? {
        var status = stat()
        fstat(standardError.fileHandleForWriting.fileDescriptor, &status)
        return handler(stream: "\(status.st_dev):\(status.st_ino)")
    }

    /// - Parameter stream: the value of `JOURNAL_STREAM`.
    func handler(stream: String?) -> JournalLogHandler? {
        JournalLogHandler(
            label: "feed", environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:],
            standardError: standardError.fileHandleForWriting.fileDescriptor, journal: path)
    }

    /// The lines of the next entry; the fields of metadata in order.
    func next() -> [String] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = max(0, recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)))
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
        let fixed = lines.lastIndex { $0.hasPrefix("SYSLOG_IDENTIFIER") }.map { $0 + 1 } ?? 0
        return lines.prefix(fixed) + lines.dropFirst(fixed).sorted()
    }
}
