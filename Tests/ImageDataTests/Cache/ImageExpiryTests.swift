import Foundation
import ImageData
import RPCTestKit
import Testing

@Suite struct ImageExpiryTests {
    @Test(arguments: [(9, false), (10, true), (11, true)]) func `bytes expire exactly at the end of their time to live`(
        age: TimeInterval, isExpired: Bool
    ) {
        #expect(
            ImageExpiry.isExpired(storedAt: moment(0), timeToLive: 10, now: moment(age)) == isExpired)
    }

    @Test(arguments: [(604_799, false), (604_800, true), (604_801, true)]) func `the default time to live is a week`(
        age: TimeInterval, isExpired: Bool
    ) {
        let timeToLive = ImageExpiry.defaultTimeToLive
        #expect(ImageExpiry.isExpired(storedAt: moment(0), timeToLive: timeToLive, now: moment(age)) == isExpired)
    }

    @Test(arguments: [(1, true), (0, false)]) func `bytes with a time in the future have expired`(
        lead: TimeInterval, isExpired: Bool
    ) {
        #expect(ImageExpiry.isExpired(storedAt: moment(lead), timeToLive: 1_000, now: moment(0)) == isExpired)
    }

    @Test func `with a time to live of 0 bytes expire at once`() {
        #expect(ImageExpiry.isExpired(storedAt: moment(0), timeToLive: 0, now: moment(0)))
    }
}
