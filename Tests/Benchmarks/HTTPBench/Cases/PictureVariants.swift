import BenchKit
import FeedContract
import Foundation
import ImageDataContract
import RPC

/// Variants of a photo with 12 megapixels, over HTTP: the first time they are computed, then they are cached.
struct PictureVariants: Case {
    let name = "picture variants"

    private static let first = Aim.atMost(300)
    private static let again = Aim.atMost(1)

    private static let columns = [
        Block.Column(title: "first ms", key: "first_ms"), Block.Column(title: "again ms", key: "again_ms", digits: 2),
        Block.Column(title: "original ms", key: "original_ms", digits: 2),
        Block.Column(title: "again / original", key: "again_ratio", digits: 2),
    ]

    /// The program that makes variants; here it makes the photo too.
    private static let program = "vipsthumbnail"
    private static let secondsToMake = 60.0

    /// Longer than the gateway's own cache.
    private static let pause: UInt32 = 1_200_000

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            let photo = try makePhoto(bench.photos, in: directory)
            let port = try FreePort.find()
            let deployment = try await RunningDeployment.start(root: directory + "/root", http: "127.0.0.1:\(port)")
            defer { deployment.stop() }
            var rows: [Block.Row] = []
            for (name, query, fields) in [
                ("640 pixels wide, JPEG", "?w=640", []), ("640 pixels wide, WebP", "?w=640", ["Accept: image/webp"]),
                ("1280 pixels wide, JPEG", "?w=1280", []),
            ] as [(String, String, [String])] {
                var (firsts, agains, originals) = ([Double](), [Double](), [Double]())
                for round in 1...bench.rounds {
                    bench.progress.show("\(name), round \(round) of \(bench.rounds)")
                    let number = rows.count * bench.rounds + round
                    let path = FeedWalk.path(of: try await publish(NumberedPicture.jpeg(photo, number), deployment))
                    // The original is read once before, as after its upload.
                    _ = try Exchange(port: port, path)
                    firsts.append(try time(port, path + query, fields))
                    usleep(Self.pause)
                    originals.append(try time(port, path, []))
                    agains.append(try time(port, path + query, fields))
                }
                let ratio = median(agains).flatMap { again in median(originals).map { again / $0 } }
                rows.append(
                    Block.Row(
                        name: name, values: [median(firsts), median(agains), median(originals), ratio],
                        aims: [
                            Self.first.measured("first ms", median(firsts)),
                            Self.again.measured("again / original", ratio),
                        ]))
            }
            let title = "variants of a photo of 4000 × 3000 pixels, \(photo.count / 1_000) KB"
            return [Block(name: title, columns: Self.columns, rows: rows)]
        }
    }

    private func time(_ port: Int, _ path: String, _ fields: [String]) throws -> Double {
        let exchange = try Exchange(port: port, path, fields)
        guard exchange.status == 200 else { throw Failure("\(path) has status \(exchange.status)") }
        return exchange.milliseconds
    }

    private func makePhoto(_ photos: Photos, in directory: String) throws -> Data {
        let (small, large) = (directory + "/small.jpg", directory + "/large.jpg")
        try photos.jpeg(near: 25_000).write(to: URL(fileURLWithPath: small))
        let making = try? ChildProcess.start([Self.program, "--size", "4000x3000!", "-o", large + "[Q=95]", small])
        guard let making, case .done = making.end(within: Self.secondsToMake) else {
            throw LeftOut(subject: name, reason: "it needs \(Self.program), of libvips-tools")
        }
        return try Data(contentsOf: URL(fileURLWithPath: large))
    }

    private func publish(_ picture: Data, _ deployment: RunningDeployment) async throws -> UUID {
        let url = try await RPCClient.withConnection(to: deployment.imageData.socket, as: "bench") { client in
            try await client.call(ImageDataContract.put, PutImage(data: Bytes(picture))).url
        }
        let item = FeedItem(id: UUID(), image: url)
        return try await RPCClient.withConnection(to: deployment.gateway.socket, as: "bench") { client in
            _ = try await client.call(FeedContract.publish, PublishedItems(items: [item]))
            return item.id
        }
    }
}
