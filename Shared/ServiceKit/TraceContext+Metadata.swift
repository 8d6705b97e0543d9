import Logging
import RPC

extension TraceContext {
    /// The request id, for a log line.
    public var metadata: Logger.Metadata { id.map { ["trace_id": "\($0)"] } ?? [:] }
}
