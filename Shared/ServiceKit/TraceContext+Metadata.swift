import Logging
import RPC

extension TraceContext {
    /// The trace id, for a log line.
    public var metadata: Logger.Metadata { id.map { ["trace_id": "\($0)"] } ?? [:] }
}
