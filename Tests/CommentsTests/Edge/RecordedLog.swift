import Logging
import Synchronization

/// Keeps what is logged.
final class RecordedLog: LogHandler, Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in self } }

    func log(event: LogEvent) { recorded.withLock { $0.append("\(event.level): \(event.message)") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}
