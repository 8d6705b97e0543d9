import Foundation
import ImageData
import RPCTestKit
import Testing

@testable import image_data_service

/// Random loads, puts, evictions, cancellations, clock changes and origin servers, against a model of the valid
/// answers.
struct ImageModelTests {
    /// Seeds that failed in the past.
    private static let failed: [UInt64] = [41, 77, 6_081]

    private static let usual = 40
    private static let batches = 4
    private static let steps = 60

    private static var seeds: [UInt64] {
        failed + (0..<UInt64(ModelSeeds.count(usual: usual)))
    }

    @Test(arguments: 0..<batches) func `only valid bytes are served after any events`(batch: Int) async throws {
        try await withTemporaryDirectory { directory in
            let cache = SQLiteImageCache(
                try SQLiteImageCache.opening.open(directory + "/cache.sqlite"), budget: 1_000_000)
            let store = SQLiteImageStore(try SQLiteImageStore.opening.open(directory + "/store.sqlite"))
            for (index, seed) in Self.seeds.enumerated() where index % Self.batches == batch {
                _ = try await (cache.evict(.downTo(bytes: 0)), store.evict(.downTo(bytes: 0)))
                let findings = try await ImageModel.run(seed: seed, steps: Self.steps, cache: cache, store: store)
                #expect(findings == [], "seed \(seed)")
            }
        }
    }
}
