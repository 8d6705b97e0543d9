import Foundation
import RPCTestKit
import Testing

@testable import EdgeKit

struct FailureFilterTests {
    @Test func `the number of subjects is limited, and one more removes them all`() {
        var log = FailureFilter()
        for number in 0..<FailureFilter.subjects {
            let now = moment(Double(number) * FailureFilter.window)
            #expect(log.shouldLog("no JSON", of: "\(number)", at: now) == true)
        }
        let later = moment(1_000_000)
        #expect(log.shouldLog("no JSON", of: "0", at: later) == false)
        #expect(log.shouldLog("no JSON", of: "one more", at: later) == true)
        #expect(log.shouldLog("no JSON", of: "0", at: later) == true)
    }
}
