import Foundation
import Glibc

/// Writes to the terminal. A terminal may stop reading, so no write blocks its thread.
struct TerminalWriter: Sendable {
    /// How long to wait before a terminal that is full is tried again.
    private static let pause = Duration.milliseconds(2)

    /// How long the last write waits for a terminal that does not read.
    static let patience = Duration.seconds(1)

    /// Not blocking.
    let descriptor: Int32

    /// Writes all of the text.
    /// - Throws: `CancellationError`. The terminal may then have a part of the text.
    func write(_ text: String) async throws {
        var rest = Array(text.utf8)[...]
        while advance(&rest) { try await Task.sleep(for: Self.pause) }
    }

    /// Discards what the terminal has not read, ends a sequence that it may be in, and writes the text. Blocks for `patience` at
    /// most, also in a cancelled task.
    func writeLast(_ text: String) {
        tcflush(descriptor, TCOFLUSH)
        let cancel = "\u{18}"
        var rest = Array((cancel + text).utf8)[...]
        let deadline = ContinuousClock.now + Self.patience
        while advance(&rest), .now < deadline { usleep(useconds_t(Self.pause / .microseconds(1))) }
    }

    /// Writes as much as the terminal takes.
    /// - Returns: whether there is more to write. A terminal that is gone takes nothing; then its inputs end too.
    private func advance(_ rest: inout ArraySlice<UInt8>) -> Bool {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            switch (count, errno) {
            case (0..., _): rest = rest.dropFirst(count)
            case (_, EINTR): continue
            case (_, EAGAIN): return true
            default: return false
            }
        }
        return false
    }
}
