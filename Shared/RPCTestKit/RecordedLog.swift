import Logging
import Timing

/// Records log events.
public final class RecordedLog: LogHandler, Sendable {
    private let recorded = Watched<[LogEvent]>([])

    public init() {}

    /// A logger that writes to this log.
    public var logger: Logger { Logger(label: "test") { _ in self } }

    public var lines: [String] { recorded.withLock { $0.map { "\($0.message)" } } }

    /// Returns once there is such a line.
    public func wait(for isSuch: @escaping @Sendable (String) -> Bool) async {
        await recorded.wait { $0.contains { isSuch("\($0.message)") } }
    }

    /// The metadata value of each line under this name.
    public func metadata(_ name: String) -> [String?] {
        recorded.withLock { $0.map { $0.metadata?[name].map { "\($0)" } } }
    }

    public func log(event: LogEvent) { recorded.withLock { $0.append(event) } }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    public var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    public var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}
