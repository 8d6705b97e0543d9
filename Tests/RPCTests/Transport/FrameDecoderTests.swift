import JSON
import NIOCore
import Testing

@testable import RPC

struct FrameDecoderTests {
    private let messages = ["{}", "", String(repeating: "x", count: 300), "[1,2,3]", ""]

    private var stream: [UInt8] {
        messages.flatMap { text in
            let length = text.utf8.count
            return [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)] + Array(text.utf8)
        }
    }

    @Test func `several frames in one read are all found, empty ones too`() throws {
        var decoder = FrameDecoder(limit: 300)
        decoder.append(ByteBuffer(bytes: stream))
        #expect(try decoder.all() == messages)
        #expect(!decoder.isInsideFrame)
    }

    @Test func `frames that are split anywhere are assembled`() throws {
        for split in 0...stream.count {
            var decoder = FrameDecoder(limit: 300)
            decoder.append(ByteBuffer(bytes: stream[..<split]))
            var found = try decoder.all()
            decoder.append(ByteBuffer(bytes: stream[split...]))
            found += try decoder.all()
            #expect(found == messages)
            #expect(!decoder.isInsideFrame)
        }
    }

    @Test func `frames that arrive byte by byte are assembled`() throws {
        var decoder = FrameDecoder(limit: 300)
        var found: [String] = []
        for byte in stream {
            decoder.append(ByteBuffer(bytes: [byte]))
            found += try decoder.all()
        }
        #expect(found == messages)
    }

    @Test func `a decoder is inside a frame from the first byte of its header to the last of its payload`() throws {
        var decoder = FrameDecoder(limit: 10)
        #expect(!decoder.isInsideFrame)
        for byte in [0, 0, 0, 2, 0x7B] as [UInt8] {
            decoder.append(ByteBuffer(bytes: [byte]))
            #expect(try decoder.next() == nil)
            #expect(decoder.isInsideFrame)
        }
        decoder.append(ByteBuffer(bytes: [0x7D]))
        #expect(try decoder.next()?.payload == ByteBuffer(string: "{}"))
        #expect(!decoder.isInsideFrame)
    }

    @Test func `a frame is accepted at the limit and refused one past it, by its header alone`() throws {
        var decoder = FrameDecoder(limit: 1_000)
        decoder.append(ByteBuffer(bytes: [0, 0, 0x03, 0xE8] + Array(repeating: 0x20, count: 1_000)))
        #expect(try decoder.next()?.payload.readableBytes == 1_000)
        decoder.append(ByteBuffer(bytes: [0, 0, 0x03, 0xE9]))
        #expect(throws: FrameViolation.tooLong(1_001, limit: 1_000)) { try decoder.next() }
    }

    @Test func `a frame of 24 bits is accepted where the limit allows it`() throws {
        var decoder = FrameDecoder(limit: Limits.largestFrameLength)
        decoder.append(ByteBuffer(bytes: [0, 0xFF, 0xFF, 0xFF]))
        #expect(try decoder.next() == nil)
        decoder.append(ByteBuffer(repeating: 0x20, count: Limits.largestFrameLength))
        #expect(try decoder.next()?.payload.readableBytes == Limits.largestFrameLength)
    }

    @Test(arguments: [1, 2, 7, 8, 0x47, 0xFF] as [UInt8])
    func `a kind that was not negotiated is refused, and so is a length over 24 bits`(kind: UInt8) throws {
        var decoder = FrameDecoder(limit: 1_000)
        decoder.append(ByteBuffer(bytes: [kind, 0, 0, 1, 0x20]))
        let error = #expect(throws: FrameViolation.self) { try decoder.next() }
        #expect(error == .unknownKind(kind))
        #expect(error?.rpcError.kind == .invalidRequest)
        #expect(error?.rpcError.message == "kind \(kind) not negotiated, or a length over 16777215")
    }

    @Test func `frames before a violation are found`() throws {
        var decoder = FrameDecoder(limit: 1_000)
        decoder.append(ByteBuffer(bytes: [0, 0, 0, 1, 0x20, 9, 0, 0, 0]))
        #expect(try decoder.next() != nil)
        #expect(throws: FrameViolation.unknownKind(9)) { try decoder.next() }
    }

    @Test(arguments: [0, 1, 100, 101])
    func `a frame is written up to the limit; over it nothing is`(length: Int) throws {
        var bytes = ByteBuffer(string: "before")
        let text = RawJSON(unchecked: Array(repeating: 0x20, count: length))
        if length <= 100 {
            try bytes.writeFrame(limit: 100) { $0.raw(text) }
            var decoder = FrameDecoder(limit: 100)
            bytes.moveReaderIndex(forwardBy: 6)
            decoder.append(bytes)
            #expect(try decoder.next()?.payload.readableBytes == length)
        } else {
            let error = #expect(throws: RPCError.self) { try bytes.writeFrame(limit: 100) { $0.raw(text) } }
            #expect(error?.kind == .tooLarge)
            #expect(error?.message == "a message of 101 bytes is over the limit of 100 bytes")
            #expect(bytes == ByteBuffer(string: "before"))
        }
    }

    @Test func `no frame over 24 bits of length is written, whatever the limit`() throws {
        var bytes = ByteBuffer()
        let text = RawJSON(unchecked: Array(repeating: 0x20, count: Limits.largestFrameLength + 1))
        let error = #expect(throws: RPCError.self) { try bytes.writeFrame(limit: .max) { $0.raw(text) } }
        #expect(error?.message == "a message of 16777216 bytes is over the limit of 16777215 bytes")
        #expect(bytes.readableBytes == 0)
    }
}

extension FrameDecoder {
    fileprivate mutating func all() throws(FrameViolation) -> [String] {
        var texts: [String] = []
        while let frame = try next() { texts.append(String(buffer: frame.payload)) }
        return texts
    }
}
