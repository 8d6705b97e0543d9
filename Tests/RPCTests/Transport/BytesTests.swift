import Foundation
import JSON
import RPC
import Testing

struct BytesTests {
    @Test func `bytes are written as base64 with their size and checksum`() {
        #expect(
            RawJSON(Bytes(Data("123456789".utf8)), as: Bytes.codec).description
                == #"{"$bytes":{"base64":"MTIzNDU2Nzg5","size":9,"crc32":3421780262}}"#)
    }

    @Test(arguments: [0, 1, 2, 3, 255, 65_537])
    func `bytes of any length survive being written and read`(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let bytes = try RawJSON(Bytes(data), as: Bytes.codec).read(as: Bytes.codec, refusingUnknownMembers: true)
        #expect(bytes == Bytes(data))
        #expect(bytes.isIntact)
    }

    @Test func `a plain client may omit size and checksum`() throws {
        #expect(
            try RawJSON(checking: #"{"$bytes":{"base64":"MTIz"}}"#).read(as: Bytes.codec) == Bytes(Data("123".utf8)))
    }

    @Test(
        arguments: [
            (#"{}"#, "$bytes"), (#"{"$bytes":{}}"#, "$bytes"),
            (#"{"$bytes":{"base64":"MTIz","size":2}}"#, "$bytes.size"),
            (#"{"$bytes":{"base64":"MTIz","size":4}}"#, "$bytes.size"),
            (#"{"$bytes":{"base64":"MTIz","size":-1}}"#, "$bytes.size"),
            (#"{"$bytes":{"base64":"MTIz","crc32":0}}"#, "$bytes.crc32"),
            (#"{"$bytes":{"base64":"MTIz","crc32":4294967296}}"#, "$bytes.crc32"),
            (#"{"$bytes":{"base64":"MTI"}}"#, "$bytes.base64"), (#"{"$bytes":{"base64":"MTI*"}}"#, "$bytes.base64"),
            (#"{"$bytes":{"base64":"MT Iz"}}"#, "$bytes.base64"), (#"{"$bytes":{"base64":"MTIz\n"}}"#, "$bytes.base64"),
            (#"{"$bytes":{"base64":"_-Iz"}}"#, "$bytes.base64"),
            (#"{"$bytes":{"base64":"MQ==MQ=="}}"#, "$bytes.base64"),
        ])
    func `bytes that do not match their description are refused by path`(json: String, path: String) throws {
        let json = try RawJSON(checking: json)
        let error = #expect(throws: JSONError.self) { try json.read(as: Bytes.codec) }
        guard case .mismatch(path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `bytes that do not match the checksum they were stored with are not intact`() {
        #expect(!Bytes(Data("123456789".utf8), crc32: 0).isIntact)
        #expect(Bytes(Data("123456789".utf8), crc32: 3_421_780_262).isIntact)
        #expect(Bytes(Data(), crc32: 0).isIntact)
    }
}
