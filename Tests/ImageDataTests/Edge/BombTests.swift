import EdgeModel
import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Processes
import Testing
import Timing

@testable import ImageData
@testable import image_data_service

/// Hostile pictures, put and fetched, through a service with the real `vipsthumbnail`.
struct BombTests {
    private static let photo =
        (try? Data(contentsOf: URL(filePath: Program.repository + "/deploy/sample/lighthouse.jpg"))) ?? Data()

    /// Runs a service whose origin server has these bytes at `/bomb`, and a photo at every other path.
    private func with(
        _ bomb: [OriginStep],
        _ body: (EdgeService, VariantMaker, OriginServer) async throws -> Void
    ) async throws {
        var program = try #require(
            VipsThumbnail(in: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"), "install libvips-tools")
        // A slow machine makes the variants, too.
        program.limits.time = .seconds(600)
        let maker = VariantMaker(Thumbnailer(program: program), logger: RecordedLog().logger, now: { moment(0) })
        var options = EdgeService.Options()
        (options.isAuthority, options.variants) = (true, maker)
        try await OriginServer.with({ $0.path == "/bomb" ? bomb : [.response(200, body: [UInt8](Self.photo))] }) {
            [options] origin in
            try await EdgeService.with(origin, options) { try await body($0, maker, origin) }
        }
    }

    private static func load(_ service: EdgeService, _ url: String) async throws -> LoadedImage {
        try await service.client.call(
            ImageDataContract.load, LoadImage(url: url, width: 320, accept: [.webp]),
            CallOptions(timeout: .minutes(10)))
    }

    /// The error of a load; nil when it succeeds.
    private static func refusal(_ service: EdgeService, _ url: String) async -> RPCError? {
        do {
            _ = try await load(service, url)
            return nil
        } catch {
            return error as? RPCError
        }
    }

    // MARK: Refused

    /// Pictures above the pixel limit, and bytes that are no picture whatever they claim. Each with words of its refusal.
    private static let refused: [(name: String, data: Data, words: String)] = {
        let giant = PNGBytes.signature + PNGBytes.header(50_000, 50_000) + PNGBytes.data + PNGBytes.end
        let frames = Bytes((0..<5_000).flatMap { _ in GIFBytes.frame(200, 100) })
        let svg = #"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">"#
        let nesting = 100_000
        return [
            ("a PNG of 50,000 × 50,000", Data(giant), "2500000000 pixels"),
            ("a JPEG of 50,000 × 50,000", Data(JPEGBytes.image(50_000, 50_000)), "2500000000 pixels"),
            (
                "a GIF of 5,000 frames", Data(GIFBytes.screen(1_000, 300) + frames + GIFBytes.trailer),
                "1500000000 pixels over all frames"
            ),
            (
                "a deep SVG",
                Data(
                    (svg + String(repeating: "<g>", count: nesting) + String(repeating: "</g>", count: nesting)
                        + "</svg>").utf8),
                "no JPEG, PNG"
            ),
            ("a PDF", Data("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n%%EOF".utf8), "no JPEG, PNG"),
            ("a page", Data("<!doctype html><script>1</script>".utf8), "no JPEG, PNG"),
            (
                "a ZIP that begins as a JPEG", Data([0xFF, 0xD8, 0xFF] + ascii("PK\u{3}\u{4}") + zeros(100)),
                "the JPEG is malformed"
            ),
            ("a TIFF", Data(EXIF.tiff(orientation: 1)), "no JPEG, PNG"),
        ]
    }()

    @Test(arguments: refused.indices) func `a bomb is refused with the reason, without a process`(
        index: Int
    ) async throws {
        let (name, data, words) = Self.refused[index]
        let fields = [("Content-Type", "image/jpeg")]
        try await with([.response(200, fields, body: [UInt8](data))]) { service, maker, origin async throws in
            let fetched = await Self.refusal(service, origin.url + "/bomb")
            let put = await #expect(throws: RPCError.self) {
                try await service.client.call(ImageDataContract.put, PutImage(data: RPC.Bytes(data)))
            }
            for error in [fetched, put] {
                #expect(error?.kind == .invalidData, "\(name): \(String(describing: error))")
                #expect(error?.message.contains(words) == true, "\(name): \(error?.message ?? "")")
            }
            #expect(maker.slots.load == .none)
            let photo = try await Self.load(service, origin.url + "/photo")
            #expect(photo.metadata.contentType == "image/webp")
        }
    }

    // MARK: At the limit

    /// Pictures of almost fifty megapixels in few bytes, as `vips` writes them.
    @Test(arguments: [".png", ".png[interlace]", ".jpg[interlace]", ".webp[lossless]", ".gif"])
    func `a bomb below the pixel limit leaves the service to others`(type: String) async throws {
        let bomb = try await withTemporaryDirectory { directory async throws in
            let suffix = type.prefix { $0 != "[" }
            #expect(try Spawn.run(["/usr/bin/vips", "black", directory + "/a.v", "7071", "7071", "--bands", "3"]) == 0)
            #expect(try Spawn.run(["/usr/bin/vips", "copy", directory + "/a.v", "\(directory)/a\(type)"]) == 0)
            return try Data(contentsOf: URL(filePath: "\(directory)/a\(suffix)"))
        }
        try await with([.response(200, body: [UInt8](bomb))]) { service, maker, origin async throws in
            let ended = Watched(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for width in [320, 640, 960, 1_280] {
                    group.addTask {
                        let image = try await service.client.call(
                            ImageDataContract.load,
                            LoadImage(url: origin.url + "/bomb", width: width, accept: [.webp]),
                            CallOptions(timeout: .minutes(10)))
                        let size = try ImageInspector.inspect(image.data.data)
                        #expect(size.width == width || image.data.data == bomb)
                        ended.withLock { $0 += 1 }
                    }
                }
                await first(of: { await maker.slots.wait { $0.running > 0 } }, { await ended.wait { $0 > 0 } })
                #expect(maker.slots.load.running <= maker.slots.permits)
                // Originals wait for no process.
                let photo = try await service.load(origin.url + "/photo")
                #expect(photo.data.data == Self.photo)
                try await group.waitForAll()
            }
            #expect(maker.slots.load == .none && maker.check.status == .serving)
            let photo = try await Self.load(service, origin.url + "/photo")
            #expect(photo.metadata.contentType == "image/webp")
        }
    }

    // MARK: A body without end. `FetchTimeTests` has slow ones.

    /// The head of a JPEG, then zeros.
    private static let beginning = [UInt8](photo.prefix(1_000)) + [UInt8](repeating: 0, count: 64_000)

    @Test func `an endless body is refused at the limit`() async throws {
        let head = OriginStep.send("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n")
        let body = Array(repeating: OriginStep.send(Self.beginning), count: 200)
        try await with([head] + body + [.stall]) { service, _, origin async throws in
            let error = await Self.refusal(service, origin.url + "/bomb")
            #expect(error?.kind == .tooLarge, "\(String(describing: error))")
            let photo = try await Self.load(service, origin.url + "/photo")
            #expect(photo.metadata.contentType == "image/webp")
        }
    }
}
