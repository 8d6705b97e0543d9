import Foundation
import Logging
import Synchronization

/// Notifies the supervisor of this process with `sd_notify(3)` messages over the socket in `NOTIFY_SOCKET`. Sends nothing
/// when the variable is not set.
final class Supervisor: Sendable {
    private let address: String?
    private let logger: Logger
    private let hasFailed = Atomic(false)

    /// The longest time between two keep-alive messages that the supervisor accepts; nil when it expects none.
    let watchdogTime: Duration?

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment, logger: Logger) {
        address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        watchdogTime = Self.watchdogTime(environment, process: getpid())
        self.logger = logger
    }

    /// - Returns: nil when the variables are not set, are invalid, or are for another process.
    static func watchdogTime(_ environment: [String: String], process: Int32) -> Duration? {
        guard let time = environment["WATCHDOG_USEC"].flatMap(Int64.init), time > 0 else { return nil }
        if let watched = environment["WATCHDOG_PID"], Int32(watched) != process { return nil }
        return .microseconds(time)
    }

    /// Reports that connections are accepted.
    func tellReady(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

    /// Reports that no more connections are accepted.
    func tellStopping(_ status: String) { tell("STOPPING=1\nSTATUS=\(status)") }

    func tellAlive() { tell("WATCHDOG=1") }

    /// Logs the first failure only. A failure does not affect the service.
    private func tell(_ message: String) {
        guard let address else { return }
        do throws(NotificationError) {
            try Self.send(message, to: address)
        } catch {
            guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
            logger.warning("cannot notify the supervisor at \(address): \(error)")
        }
    }

    /// The longest time that a send waits for a supervisor that does not read.
    private static let patience = timeval(tv_sec: 0, tv_usec: 250_000)

    private static func send(_ message: String, to name: String) throws(NotificationError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The name of an abstract socket begins with a zero byte and has no terminator. A path ends with a zero byte.
        let isAbstract = name.hasPrefix("@")
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
        guard isAbstract || name.hasPrefix("/") else {
            throw NotificationError(reason: "not a path or an abstract socket (@NAME)")
        }
        guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else {
            throw NotificationError(reason: "the address is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)

        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw NotificationError.ofSystem() }
        defer { close(descriptor) }
        var patience = patience
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.utf8.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        guard sent == message.utf8.count else { throw NotificationError.ofSystem() }
    }
}

private struct NotificationError: Error, CustomStringConvertible {
    let reason: String

    static func ofSystem() -> NotificationError { NotificationError(reason: String(cString: strerror(errno))) }

    var description: String { reason }
}
