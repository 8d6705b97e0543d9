import BenchKit
import Foundation

/// Compares storing bytes in the database with storing them in files beside it.
struct ColdTier: Case {
    let name = "cold tier"

    private static let kilobytes = [1, 10, 50, 100, 300, 1_000]

    /// The bytes of one size per round.
    private static let bytesPerRound = 8_000_000
    private static let counts = 4...200

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            var columns: [Block.Column] = []
            for layout in BlobLayout.allCases {
                columns += [
                    Block.Column(title: "\(layout.rawValue) write", key: "\(layout.key)_write_us", digits: 0),
                    Block.Column(title: "read", key: "\(layout.key)_read_us", digits: 0),
                ]
            }
            var block = Block(name: "bytes on disk, µs each", columns: columns)
            // The upstream is never used: the service receives no requests.
            let made = try await CachedStore.make(root: directory + "/made", upstream: "http://127.0.0.1:9")
            let stores = try BlobLayout.allCases.map {
                try BlobStore($0, in: "\(directory)/\($0.key)", copying: made.path)
            }
            for size in Self.kilobytes {
                let count = min(max(Self.bytesPerRound / size / 1_000, Self.counts.lowerBound), Self.counts.upperBound)
                let values = try rounds(bench, stores, "\(size) KB") {
                    (0..<count).map { _ in Data.random(count: size * 1_000) }
                }
                block.rows.append(Block.Row(name: "\(size) KB", values: values))
            }
            let photos = try bench.photos.all()
            let mean = photos.reduce(0) { $0 + $1.count } / max(photos.count, 1) / 1_000
            block.rows.append(
                Block.Row(
                    name: "\(photos.count) photos, \(mean) KB on average",
                    values: try rounds(bench, stores, "photos") { photos }))
            return [block]
        }
    }

    /// - Returns: for every store the medians of writing and reading, in microseconds.
    private func rounds(
        _ bench: Bench, _ stores: [BlobStore], _ what: String, _ pictures: () -> [Data]
    ) throws -> [Double?] {
        var writes = stores.map { _ in [Double]() }
        var reads = writes
        for round in 1...bench.rounds {
            bench.progress.show("\(name), \(what), round \(round) of \(bench.rounds)")
            let pictures = pictures()
            for (index, store) in stores.enumerated() {
                let blobs = pictures.map { Blob(hash: .random(count: 32), data: $0) }
                writes[index].append(try microseconds(blobs) { try store.write($0) })
                reads[index].append(
                    try microseconds(blobs) { blob in
                        guard try store.read(blob.url) == blob.data else { throw Failure("read something else") }
                    })
            }
        }
        return zip(writes, reads).flatMap { [median($0), median($1)] }
    }

    private func microseconds(_ blobs: [Blob], _ body: (Blob) throws -> Void) rethrows -> Double {
        let start = MonotonicTime.now()
        for blob in blobs { try body(blob) }
        return Double(MonotonicTime.now() - start) / 1_000 / Double(blobs.count)
    }
}

extension Data {
    fileprivate static func random(count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        var data = Data(capacity: count)
        while data.count < count {
            Swift.withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0.prefix(count - data.count)) }
        }
        return data
    }
}
