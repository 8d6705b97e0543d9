import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import ServiceKit

@Suite struct HangGuardTests {
    private func second(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    @Test func `silence is the time since the last sign of life`() {
        var silence = Silence(period: .seconds(1))
        #expect(silence.look(at: second(10), hasAnswered: false) == .zero)
        for time in 1...20 as ClosedRange<Int64> {
            #expect(silence.look(at: second(10 + time), hasAnswered: false) == .seconds(time))
        }
        #expect(silence.look(at: second(31), hasAnswered: true) == .zero)
        #expect(silence.look(at: second(32), hasAnswered: false) == .seconds(1))
    }

    @Test func `a pause of the whole process is no silence of the loop`() {
        var silence = Silence(period: .seconds(1))
        _ = silence.look(at: second(0), hasAnswered: false)
        #expect(silence.look(at: second(2), hasAnswered: false) == .seconds(2))
        #expect(silence.look(at: second(1_000), hasAnswered: false) == .seconds(2))
        #expect(silence.look(at: second(1_001), hasAnswered: false) == .seconds(3))
    }

    @Test func `a process whose loop hangs is aborted`() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
            let hanging = HangGuard(
                loop: loop, logger: Logger(label: "test"), limit: .milliseconds(20), period: .milliseconds(1))
            await hanging.whileRunning {
                loop.execute { while true { pause() } }
                // Only the abort ends this.
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }

    @Test func `a loop that runs is left alone`() async {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let idle = HangGuard(loop: loop, logger: Logger(label: "test"), period: .milliseconds(1))
        let answer = await idle.whileRunning {
            for _ in 1...100 { try? await loop.submit {}.get() }
            return 42
        }
        #expect(answer == 42)
    }
}
