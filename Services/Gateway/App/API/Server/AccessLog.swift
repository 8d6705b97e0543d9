import Foundation
import JSON
import Logging
import Synchronization
import Timing

/// Writes a line of JSON for each HTTP request, without the values of queries.
final class AccessLog: Sendable {
    private struct File {
        var handle: FileHandle

        /// When to look whether the path names another file.
        var nextLook = Date.distantPast

        /// Whether the last look could not open the file of the path. Lines then go to the one that was open.
        var isLost = false

        /// Whether the last line was written as it should be.
        var isFailing = false
    }

    /// Nil for standard output.
    private let path: String?
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let file: Mutex<File>

    /// - Parameter place: the path of the file, to which lines are appended; `-` for standard output.
    /// - Throws: an error for a file that cannot be opened.
    init(_ place: String, _ logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) throws {
        path = place == "-" ? nil : place
        self.logger = logger
        self.now = now
        file = Mutex(File(handle: try path.map(Self.open) ?? .standardOutput))
    }

    func note(_ observation: HTTPObservation) {
        let now = now()
        let line = Data(observation.accessLine(at: now).bytes + [UInt8(ascii: "\n")])
        file.withLock { file in
            var fault: (any Error)?
            if isLookDue(file, at: now) {
                file.nextLook = now + Self.lookInterval
                do {
                    try reopen(&file)
                    file.isLost = false
                } catch {
                    (file.isLost, fault) = (true, error)
                }
            }
            do {
                try file.handle.write(contentsOf: line)
            } catch {
                // A full disk must not end requests. The next line is tried again.
                fault = error
            }
            if let fault, !file.isFailing { logger.error("lines of the access log are missing: \(fault)") }
            file.isFailing = fault != nil || file.isLost
        }
    }

    /// How often the path is looked at, in seconds. A rotated file gets lines for this long.
    static let lookInterval: TimeInterval = 1

    private func isLookDue(_ file: File, at now: Date) -> Bool {
        now >= file.nextLook || now < file.nextLook - Self.lookInterval
    }

    /// Opens the file again after it was renamed or removed, as programs that rotate logs do.
    private func reopen(_ file: inout File) throws {
        guard let path else { return }
        var (there, open) = (stat(), stat())
        let isSame =
            stat(path, &there) == 0 && fstat(file.handle.fileDescriptor, &open) == 0
            && (there.st_dev, there.st_ino) == (open.st_dev, open.st_ino)
        if !isSame { file.handle = try Self.open(path) }
    }

    private static func open(_ path: String) throws -> FileHandle {
        let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw Refused(path: path, reason: String(cString: strerror(errno))) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// The file cannot be opened.
    struct Refused: Error, CustomStringConvertible {
        let path: String
        let reason: String

        var description: String {
            "Cannot open the access log \(path): \(reason). Choose another file with --access-log FILE, "
                + "or standard output with --access-log -."
        }
    }
}

extension HTTPObservation {
    /// The line of the access log.
    fileprivate func accessLine(at now: Date) -> RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            func member(_ name: String, _ write: (inout JSONWriter) -> Void) {
                writer.name(name)
                write(&writer)
            }
            member("time") { $0.string(now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))) }
            member("method") { $0.string(request.method.rawValue) }
            if let route { member("route") { $0.string(route) } }
            member("path") { $0.string(String((request.path ?? "").prefix { $0 != "?" }.prefix(Self.pathCharacters))) }
            if let status { member("status") { $0.integer(status) } }
            member("bytes") { $0.integer(bytes) }
            member("seconds") { $0.number(Double(time.nanoseconds / 1_000) / 1_000_000) }
            if let id = trace.id { member("trace") { $0.string("\(id)") } }
        }
        return RawJSON(unchecked: writer.bytes)
    }

    /// The maximum number of logged characters of a path.
    private static let pathCharacters = 200
}
