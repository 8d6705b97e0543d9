import Foundation
import ImageData
import Testing

@Suite struct ImageExpiryTests {
    @Test(arguments: [(9, false), (10, true), (11, true)]) func `bytes expire at the very second`(
        age: TimeInterval, isExpired: Bool
    ) {
        #expect(
            ImageExpiry.isExpired(storedAt: moment(0), timeToLive: 10, now: moment(age)) == isExpired)
    }

    @Test(arguments: [(604_799, false), (604_800, true), (604_801, true)]) func `without another word they last a week`(
        age: TimeInterval, isExpired: Bool
    ) {
        let timeToLive = ImageExpiry.defaultTimeToLive
        #expect(ImageExpiry.isExpired(storedAt: moment(0), timeToLive: timeToLive, now: moment(age)) == isExpired)
    }

    @Test func `bytes from the future are good`() {
        #expect(!ImageExpiry.isExpired(storedAt: moment(1_000_000), timeToLive: 1, now: moment(0)))
    }

    @Test func `with no time to live they are expired when they come`() {
        #expect(ImageExpiry.isExpired(storedAt: moment(0), timeToLive: 0, now: moment(0)))
    }
}
