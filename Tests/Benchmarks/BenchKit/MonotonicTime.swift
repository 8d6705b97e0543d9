import Glibc

/// The monotonic clock, in nanoseconds.
package enum MonotonicTime {
    package static func now() -> Int64 { read(CLOCK_MONOTONIC) }

    fileprivate static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The wall clock, in microseconds since 1970. Programs in every language have it, so processes can be compared.
package enum WallClock {
    package static func now() -> Int64 { MonotonicTime.read(CLOCK_REALTIME) / 1_000 }
}
