import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@testable import ContractKit

/// The limits for what an implementation sends, and for what a case contains.
@Suite struct MessageLimitTests {
    @Test func `the number of waiting messages is limited`() throws {
        var waiting = WaitingMessages()
        for _ in 0..<WaitingMessages.maximumCount { try waiting.add(item: Message(json: 1, size: 1), of: 1) }
        #expect(throws: PeerFault.self) { try waiting.add(answer: Message(json: 1, size: 1), of: 1) }
        #expect(waiting.takeItem(of: 1) == 1)
        try waiting.add(answer: Message(json: 2, size: 1), of: 1)
        #expect(waiting.takeAnswer(of: 1) == 2)
    }

    @Test func `the bytes of waiting messages are limited`() throws {
        var waiting = WaitingMessages()
        try waiting.add(item: Message(json: 1, size: WaitingMessages.maximumBytes - 1), of: 1)
        try waiting.add(item: Message(json: 2, size: 1), of: 1)
        #expect(throws: PeerFault.self) { try waiting.add(item: Message(json: 3, size: 1), of: 1) }
        #expect(waiting.takeItem(of: 1) == 1)
        try waiting.add(item: Message(json: 3, size: 1), of: 1)
        #expect(waiting.takeItem(of: 1) == 2 && waiting.takeItem(of: 1) == 3 && waiting.takeItem(of: 1) == nil)
    }

    @Test(arguments: [(1_000, true), (1_001, false)])
    func `the bytes of a message in parts are limited`(size: Int, isRead: Bool) throws {
        let text = Array("\"\(String(repeating: "x", count: size - 2))\"".utf8)
        let frames = [
            Frame(kind: Frame.part, number: 1, payload: text.prefix(500)),
            Frame(kind: Frame.lastPart, number: 1, payload: text.dropFirst(500)),
        ]
        try Self.expect(frames, size: size, isRead)
    }

    @Test(arguments: [(400, true), (401, false)])
    func `the bytes of a message and all its attachments are limited`(size: Int, isRead: Bool) throws {
        let start = #"{"attachments":[1,2],"x":""#
        let text = start + String(repeating: "x", count: 200 - start.utf8.count - 2) + "\"}"
        let frames = [
            Frame(kind: Frame.message, payload: Array(text.utf8)),
            Frame(kind: Frame.lastChunk, number: 1, payload: [UInt8](repeating: 0, count: 400)),
            Frame(kind: Frame.lastChunk, number: 2, payload: [UInt8](repeating: 0, count: size)),
        ]
        try Self.expect(frames, size: 600 + size, isRead)
    }

    @Test(arguments: [(CallConnection.attachmentBytes, true), (CallConnection.attachmentBytes + 1, false)])
    func `the bytes of an attachment of a case are limited`(count: Int, isSent: Bool) throws {
        try Self.withPeer { path, accept in
            let deadline = Deadline(patientTime)
            let connection = try CallConnection(to: path, features: [], by: deadline)
            let peer = accept()
            // Reads until the connection is closed.
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                while read(peer, &bytes, bytes.count) > 0 {}
                close(peer)
            }
            let params: JSONValue = ["a": ["$bytes": ["base64": .string(Data(count: count).base64EncodedString())]]]
            if isSent {
                _ = try connection.send("a.b", params, attaches: true, by: deadline)
            } else {
                #expect(throws: ContractMistake.self) {
                    try connection.send("a.b", params, attaches: true, by: deadline)
                }
            }
        }
    }

    @Test(arguments: [(ContractSuite.maximumFileBytes, true), (ContractSuite.maximumFileBytes + 1, false)])
    func `the bytes of a file are limited`(count: Int, isRead: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/contract.json"
            try Data(Array("{}".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: count - 2)).write(
                to: URL(filePath: file))
            if isRead {
                let contract = try ContractSuite.contract(file: file)
                #expect(contract == [:])
            } else {
                let mistake = #expect(throws: ContractMistake.self) { try ContractSuite.contract(file: file) }
                #expect(mistake?.description.hasSuffix("has more than \(count - 1) bytes; split it") == true)
            }
        }
    }

    /// Reads a message with a limit of 1,000 bytes.
    private static func expect(_ frames: [Frame], size: Int, _ isRead: Bool) throws {
        try withPeer { path, accept in
            let deadline = Deadline(patientTime)
            let connection = try WireConnection(to: path, by: deadline)
            let peer = accept()
            for frame in frames { #expect(write(peer, frame.bytes, frame.bytes.count) == frame.bytes.count) }
            let reader = MessageReader(connection, maximumBytes: 1_000)
            if isRead {
                #expect(try reader.next(by: deadline)?.size == size)
            } else {
                #expect(throws: PeerFault.self) { try reader.next(by: deadline) }
            }
            close(peer)
        }
    }

    /// Listens on a socket. A client can connect and send before it is accepted.
    private static func withPeer(_ body: (SocketPath, () -> Int32) throws -> Void) throws {
        let directory = "/tmp/limits-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try SocketPath(directory + "/a.sock")
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        try #require(path.withAddress({ bind(listener, $0, $1) }) == 0 && listen(listener, 1) == 0)
        try body(path) { accept(listener, nil, nil) }
    }
}
