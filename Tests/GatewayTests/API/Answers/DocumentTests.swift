import CZlib
import Foundation
import HTTPTypes
import JSON
import NIOCore
import RPC
import Testing

@testable import gateway

/// JSON documents as they are sent.
@Suite struct DocumentTests {
    /// A document of this many bytes.
    private func document(_ bytes: Int, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        let json = RawJSON(String(repeating: "a", count: bytes - 2), as: .string)
        return .document(json, for: request(fields))
    }

    private func request(_ fields: HTTPFields) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "example.org", path: "/v1/feed", headerFields: fields)
    }

    @Test func `equal documents have equal tags, different ones do not`() {
        #expect(document(20).fields[.eTag] == document(20).fields[.eTag])
        #expect(document(20).fields[.eTag] != document(21).fields[.eTag])
    }

    @Test func `1,400 bytes are compressed for a client that accepts gzip, 1,399 are not`() {
        #expect(document(1_399, [.acceptEncoding: "gzip"]).fields[.contentEncoding] == nil)
        let compressed = document(1_400, [.acceptEncoding: "gzip"])
        #expect(compressed.fields[.contentEncoding] == "gzip" && compressed.body.readableBytes < 200)
        #expect(document(1_400).fields[.contentEncoding] == nil)
        #expect(document(1_399).fields[.vary] == "Accept-Encoding")
    }

    @Test func `the compressed representation has a different tag`() throws {
        let (plain, compressed) = (document(2_000), document(2_000, [.acceptEncoding: "gzip"]))
        let (plainTag, compressedTag) = (
            try #require(plain.fields[.eTag]), try #require(compressed.fields[.eTag])
        )
        #expect(plainTag != compressedTag)
        #expect(document(2_000, [.ifNoneMatch: plainTag]).status == .notModified)
        #expect(document(2_000, [.ifNoneMatch: compressedTag]).status == .ok)
        let both = document(2_000, [.ifNoneMatch: "\(plainTag), W/\(compressedTag)", .acceptEncoding: "gzip"])
        #expect(both.status == .notModified && both.fields[.eTag] == compressedTag)
        #expect(both.body.readableBytes == 0 && both.fields[.contentEncoding] == nil)
    }

    @Test(arguments: [0, 1, 100_000])
    func `decompression returns the original bytes`(count: Int) throws {
        let bytes = ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let compressed = try #require(Gzip.compress(bytes))
        #expect(inflated(compressed, count: count) == Array(bytes.readableBytesView))
    }

    private func inflated(_ bytes: ByteBuffer, count: Int) -> [UInt8] {
        var (stream, source) = (z_stream(), Array(bytes.readableBytesView))
        var target = [UInt8](repeating: 0, count: count + 1)
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return []
        }
        defer { inflateEnd(&stream) }
        return source.withUnsafeMutableBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                guard inflate(&stream, Z_FINISH) == Z_STREAM_END else { return [] }
                return Array(target.prefix(Int(stream.total_out)))
            }
        }
    }
}
