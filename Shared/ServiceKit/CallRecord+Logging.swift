import Logging
import NIOCore
import RPC

extension CallRecord {
    /// Logs the call in one line at level `debug`.
    func log(to logger: Logger) {
        let outcome = error?.rawValue ?? "ok"
        let time = duration.map { " after \($0.nanoseconds / 1_000) us" } ?? " before it began"
        logger.debug("\(method.asLogged) \(outcome)\(time), called by \(caller.asLogged)", metadata: trace.metadata)
    }

    private var caller: String {
        let name = client ?? "a plain client"
        return peer.map { "\(name) (process \($0.process), user \($0.user))" } ?? name
    }
}
