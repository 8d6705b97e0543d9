import Foundation
import Glibc
import Processes

/// Writes what the program of a plugin prints into the log of the gateway, with the plugin's name on each line.
struct ProgramOutput: Sendable {
    /// The standard output and error of the program. The caller closes it.
    let descriptor: Int32

    private let reader: Int32

    /// The end of a pipe whose other end is closed when the program has ended. Children that have left its group may hold `descriptor`
    /// open.
    private let end: Int32
    private let ending: Int32

    private let finished = DispatchSemaphore(value: 0)

    /// What a pipe holds is read after the end, and no more.
    private static let pipeBytes = 65_536

    init() throws(ChildProcess.NotStarted) {
        (reader, descriptor) = try Self.pipe()
        do throws(ChildProcess.NotStarted) {
            (end, ending) = try Self.pipe()
        } catch {
            close(reader)
            close(descriptor)
            throw error
        }
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    }

    private static func pipe() throws(ChildProcess.NotStarted) -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        // Programs that are started at the same time inherit no descriptors (`ChildProcess`).
        guard Glibc.pipe(&ends) == 0 else {
            throw ChildProcess.NotStarted(description: String(cString: strerror(errno)))
        }
        return (ends[0], ends[1])
    }

    /// Starts a thread, which ends with `finish`.
    /// - Parameter log: the descriptor to write to.
    func start(plugin: String, log: Int32) {
        Thread.detachNewThread {
            var lines = MarkedLines(plugin: plugin)
            while waitForOutput() {
                guard let bytes = read() else { continue }
                guard !bytes.isEmpty else { break }
                write(lines.add(bytes), to: log)
            }
            var left = Self.pipeBytes
            while left > 0, let bytes = read(), !bytes.isEmpty {
                left -= bytes.count
                write(lines.add(bytes), to: log)
            }
            write(lines.end(), to: log)
            close(reader)
            close(end)
            finished.signal()
        }
    }

    /// Blocks this thread until everything is written that the program has printed. Must be called once, after its end.
    func finish() {
        close(ending)
        finished.wait()
    }

    /// In place of `start` and `finish`, if there is no program.
    func discard() { for descriptor in [reader, end, ending] { close(descriptor) } }

    /// - Returns: whether there may be something to read before the end.
    private func waitForOutput() -> Bool {
        var files = [reader, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&files, 2, -1) < 0 { guard errno == EINTR else { return false } }
        return files[1].revents == 0
    }

    /// - Returns: nothing at the end; nil if there is nothing now.
    private func read() -> [UInt8]? {
        while true {
            var isRead = false
            let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
                let result = Glibc.read(reader, buffer.baseAddress, buffer.count)
                isRead = result >= 0
                count = max(result, 0)
            }
            if isRead { return bytes }
            guard errno == EINTR else { return nil }
        }
    }

    /// Writes each line at once. A log that cannot be written has no place for the reason.
    private func write(_ lines: [String], to log: Int32) {
        for line in lines {
            var rest = Array(line.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(log, $0.baseAddress, $0.count) }
                guard count > 0 || errno == EINTR else { break }
                rest = rest.dropFirst(max(count, 0))
            }
        }
    }
}
