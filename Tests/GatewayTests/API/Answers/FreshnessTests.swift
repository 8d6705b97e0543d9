import Foundation
import HTTPTypes
import ImageDataContract
import RPC
import Testing

@testable import gateway

@Suite struct FreshnessTests {
    @Test(arguments: [(-1.0, 0), (0, 0), (0.9, 0), (1, 1), (604_800, 604_800)])
    func `an age is in whole seconds, and 0 for a date in the future`(seconds: Double, age: Int) {
        #expect(Freshness.age(of: noon, now: noon + seconds) == age)
    }

    private func image(
        _ source: ImageMetadata.Source, stored age: Double = 90, stale: Bool? = nil, timeToLive: Double? = 604_800,
        fetched upstreamAge: Int = 0
    ) -> HeldImage {
        let metadata = ImageMetadata(
            contentType: "image/png", size: 1, sha256: "ab", source: source, storedAt: noon - age,
            age: upstreamAge)
        let loaded = LoadedImage(
            data: Bytes(Data([1])), metadata: metadata, stale: stale,
            expiresAt: timeToLive.map { metadata.storedAt + $0 })
        return HeldImage(loaded)
    }

    @Test func `cached bytes have an age, fetched bytes and bytes that were put have none`() {
        #expect(Freshness(image(.hot), now: noon) == Freshness(age: 90, cacheStatus: "hit"))
        #expect(Freshness(image(.cold), now: noon) == Freshness(age: 90, cacheStatus: "hit"))
        let stale = Freshness(image(.cold, stale: true), now: noon)
        #expect(stale == Freshness(age: 90, cacheStatus: "hit; detail=stale"))
        let fetched = Freshness(image(.remote, stored: 0), now: noon)
        #expect(fetched == Freshness(age: nil, cacheStatus: "fwd=miss"))
        // From an upstream that has stated an age.
        let aged = Freshness(image(.remote, stored: 0, fetched: 90), now: noon)
        #expect(aged == Freshness(age: 90, cacheStatus: "fwd=miss"))
        #expect(Freshness(image(.hot, fetched: 5), now: noon) == Freshness(age: 95, cacheStatus: "hit"))
        #expect(Freshness(image(.cold, timeToLive: nil), now: noon) == Freshness(age: nil, cacheStatus: nil))
    }

    /// `max-age` minus `Age` is the remaining lifetime (RFC 9111 §4.2).
    @Test(
        arguments: [
            (0, 3_600), (1, 3_600), (3_600, 3_600), (7_200, 3_600), (86_400, 3_600), (601_200, 3_600), (601_201, 3_599),
            (604_799, 1), (604_800, 0), (700_000, 0), (-60, 3_600),
        ] as [(Double, Int)])
    func `an answer may be used for an hour, but not beyond the time to live of its bytes`(
        age: Double, left: Int
    ) throws {
        for (source, upstreamAge) in [(ImageMetadata.Source.hot, 0), (.cold, 604_801), (.remote, 90)] {
            let image = image(source, stored: age, fetched: upstreamAge)
            let text = API.cacheControl(of: image, now: noon)
            let lifetime = try #require(text.firstMatch(of: /^public, max-age=(\d+)$/).flatMap { Int($0.output.1) })
            #expect(lifetime - (Freshness(image, now: noon).age ?? 0) == left)
        }
        #expect(API.cacheControl(of: image(.cold, stored: age, stale: true), now: noon) == "no-cache")
        #expect(API.cacheControl(of: image(.cold, stored: age, timeToLive: nil), now: noon) == "public, max-age=3600")
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_772_366_400, "Sun, 01 Mar 2026 12:00:00 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        ])
    func `a date is formatted for HTTP`(seconds: Double, text: String) {
        #expect(HTTPDate.text(of: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [(nil, 1), (0, 1), (1, 1), (1_000, 1), (1_001, 2), (2_000, 2)] as [(Int?, Int)])
    func `Retry-After is rounded up to whole seconds`(milliseconds: Int?, seconds: Int) {
        #expect(HTTPAnswer.seconds(milliseconds) == seconds)
    }

    @Test(arguments: [(0, 1), (3, 1), (400, 100), (8_192, 2_048), (8_197, 2_048), (1_000_000, 2_048)])
    func `connections use at most a quarter of the open files, and at most 2,048`(files: Int, connections: Int) {
        #expect(HTTPLimits.connections(openFiles: files) == connections)
    }
}
