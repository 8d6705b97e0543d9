import Glibc
import NIOCore
import NIOPosix
import Timing

/// Returns freed memory to the system after a load spike; the allocator would retain it, and it is then most of the
/// process. Lives on the event loop.
final class SpikeTrimmer {
    private let loop: any EventLoop
    private let clock: any MonotonicClock
    private let trim: () -> Void
    private var used = 0
    private var lastUse = NIODeadline.distantPast
    private var isScheduled = false

    /// How many bytes read, written, computed or freed count as a spike.
    private static let spikeBytes = 32 * 1_024 * 1_024

    /// A spike ends after this time without such work.
    private static let quietTime = TimeAmount.seconds(1)

    /// - Parameter trim: returns the freed memory.
    init(_ loop: any EventLoop, _ clock: any MonotonicClock, trim: @escaping () -> Void = SpikeTrimmer.trim) {
        self.loop = loop
        self.clock = clock
        self.trim = trim
    }

    /// Counts bytes that were read, written, computed, or held for a while and freed. The latter may be freed long after they
    /// were written, when their memory must be returned again.
    func used(_ count: Int) {
        used += count
        guard used >= Self.spikeBytes else { return }
        lastUse = clock.now(on: loop)
        schedule(at: lastUse + Self.quietTime)
    }

    private func schedule(at deadline: NIODeadline) {
        guard !isScheduled else { return }
        isScheduled = true
        clock.schedule(at: deadline, on: loop) { self.look() }
    }

    private func look() {
        isScheduled = false
        let end = lastUse + Self.quietTime
        guard end <= clock.now(on: loop) else { return schedule(at: end) }
        used = 0
        trim()
    }

    /// `malloc_trim` of glibc; nil with another C library.
    private static let mallocTrim: (@convention(c) (Int) -> Int32)? = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Not on the event loop: trimming much memory takes milliseconds.
    private static func trim() { NIOThreadPool.singleton.submit { _ in _ = mallocTrim?(0) } }
}
