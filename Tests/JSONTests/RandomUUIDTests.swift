import Foundation
import Glibc
import JSON
import RPCTestKit
import Testing

struct RandomUUIDTests {
    @Test func `a random UUID is of version 4, and every bit but those of the version is random`() {
        let all = (0..<1_000).map { _ in UUID.random() }
        #expect(Set(all).count == all.count)
        let texts = all.map { Array($0.uuidString) }
        #expect(texts.allSatisfy { $0[14] == "4" && "89AB".contains($0[19]) })
        for place in 0..<36 where ![8, 13, 14, 18, 19, 23].contains(place) {
            #expect(Set(texts.map { $0[place] }).count == 16, "the digit at \(place)")
        }
    }

    @Test func `random UUIDs differ in a process that cannot open another file`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            precondition(UUID.random() != UUID.random())
        }
    }
}
