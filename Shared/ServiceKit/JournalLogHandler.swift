import Foundation
import Logging
import RPC

/// Writes log lines to systemd's journal with their level and metadata as fields (systemd.io/JOURNAL_NATIVE_PROTOCOL).
struct JournalLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    private let label: String
    private let journal: Journal

    /// - Returns: nil unless standard error leads to the journal, as `JOURNAL_STREAM` says (systemd.exec(5)).
    init?(
        label: String, environment: [String: String] = ProcessInfo.processInfo.environment,
        standardError: Int32 = STDERR_FILENO, journal path: String = "/run/systemd/journal/socket"
    ) {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(standardError, &status) == 0,
            stream == "\(status.st_dev):\(status.st_ino)", let journal = Journal(path: path)
        else { return nil }
        self.label = label
        self.journal = journal
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var entry = JournalEntry()
        entry.add("MESSAGE", "\(event.message)")
        entry.add("PRIORITY", "\(event.level.syslogPriority)")
        entry.add("SYSLOG_IDENTIFIER", label)
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            entry.add(JournalEntry.field(key), "\(value)")
        }
        // The journal reads standard error, too.
        if !journal.send(entry.bytes) { FileHandle.standardError.write(Data("\(event.message)\n".utf8)) }
    }
}

/// The fields of a log line.
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    /// A value with line breaks is preceded by its length.
    mutating func add(_ field: String, _ value: String) {
        bytes += field.utf8
        if value.utf8.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The name of a field: capital letters, digits and underscores.
    static func field(_ key: String) -> String {
        String(key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}

/// The journal's socket.
private final class Journal: Sendable {
    private let descriptor: Int32

    init?(path: String) {
        guard let path = try? SocketPath(path) else { return nil }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // The object exists from here on, and closes the socket.
        guard path.withAddress({ connect(descriptor, $0, $1) }) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// - Returns: whether the journal has taken the entry. It does not take entries that are longer than a datagram.
    func send(_ entry: [UInt8]) -> Bool {
        Glibc.send(descriptor, entry, entry.count, Int32(MSG_NOSIGNAL)) == entry.count
    }
}

extension Logger.Level {
    /// The priority in the sense of syslog(3).
    fileprivate var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
