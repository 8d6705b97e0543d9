import Foundation
import ImageData
import ImageDataContract
import RPCTestKit
import Testing

@testable import image_data_service

@Suite struct ImageDataMapperTests {
    @Test func `an image has the properties of its bytes`() throws {
        let image = try ImageDataMapper().map(picture(7))
        #expect(image.data == picture(7))
        #expect(image.contentType == "image/png")
        #expect(image.info.height == 7)
    }

    @Test func `an image may have exactly the maximum size`() throws {
        _ = try ImageDataMapper(maximumBytes: pictureSize).map(picture(7))
        #expect(throws: ImageDataRejection.tooLarge(size: pictureSize, limit: pictureSize - 1)) {
            try ImageDataMapper(maximumBytes: pictureSize - 1).map(picture(7))
        }
    }

    @Test func `the default limit is that of the contract`() throws {
        #expect(ImageDataMapper.defaultMaximumBytes == ImageDataContract.plainImageBytes)
        // Bytes after the end mark are ignored, so an image can be padded to any size.
        let limit = ImageDataMapper.defaultMaximumBytes
        let largest = picture(7) + Data(count: limit - pictureSize)
        _ = try ImageDataMapper().map(largest)
        #expect(throws: ImageDataRejection.tooLarge(size: limit + 1, limit: limit)) {
            try ImageDataMapper().map(largest + Data(count: 1))
        }
    }

    @Test(arguments: [
        (Data(), ImageRejection.empty), (Data("<svg/>".utf8), .notAnImage), (picture(7).dropLast(1), .truncated(.png)),
    ])
    func `an incomplete image is rejected with the reason`(data: Data, reason: ImageRejection) {
        #expect(throws: ImageDataRejection.notAnImage(reason)) { try ImageDataMapper().map(data) }
    }
}

@Suite struct ContentHashTests {
    /// FIPS 180-2, appendix B.1.
    private let hash = ContentHash(of: Data("abc".utf8))
    private let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `a hash is written in lower-case hexadecimal`() {
        #expect(hash.hex == hex)
        #expect(hash.urn == "urn:sha256:" + hex)
    }

    @Test(arguments: [0, 31, 33]) func `bytes of another length are no hash`(count: Int) {
        #expect(ContentHash(Data(count: count)) == nil)
    }

    @Test func `a URL with a hash must have the right one`() {
        #expect(hash.canBeNamed("https://pictures.example/1"))
        #expect(hash.canBeNamed("urn:uuid:1"))
        #expect(hash.canBeNamed("urn:sha256:" + hex))
        #expect(!hash.canBeNamed("urn:sha256:" + hex.uppercased()))
        #expect(!hash.canBeNamed("URN:SHA256:" + hex))
        #expect(!hash.canBeNamed("urn:sha256:" + String(repeating: "0", count: 64)))
        #expect(!hash.canBeNamed("urn:sha256:"))
    }
}

@Suite struct EvictionTests {
    @Test func `an age is subtracted from the current time`() {
        #expect(Eviction.older(than: 10, now: moment(10)) == .storedUpTo(moment(0)))
        #expect(Eviction.older(than: 0, now: moment(10)) == .storedUpTo(moment(10)))
    }
}
