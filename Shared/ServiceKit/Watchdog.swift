import Logging
import NIOCore
import RPC

/// Tells the supervisor that the service works, as long as it does: each time it has answered a ping over its own socket
/// and a new connection, which proves accepting, the event loop, parsing, handling and writing.
struct Watchdog: Sendable {
    let path: SocketPath

    /// The most that may lie between two signs of life.
    let time: Duration
    let logger: Logger
    let tellAlive: @Sendable () -> Void

    /// Beats until the task is cancelled.
    func run() async {
        let clock = ContinuousClock()
        var hasFailed = false
        while !Task.isCancelled {
            let next = clock.now + time / 2
            do throws(RPCError) {
                try await ping()
                tellAlive()
                hasFailed = false
            } catch {
                // One line for a bad time, however long it is; what ends us is none.
                if !hasFailed, !Task.isCancelled { logger.error("no answer to a ping of our own: \(error.message)") }
                hasFailed = true
            }
            // Cancelled while it waits: the loop's condition sees it.
            try? await clock.sleep(until: next)
        }
    }

    /// - Throws: when there was no answer in time.
    func ping() async throws(RPCError) {
        // A beat is half the time, and an answer may take half of that: the supervisor hears of us in time.
        let options = CallOptions(timeout: TimeAmount(time / 4))
        do {
            try await RPCClient.withConnection(to: path, as: "watchdog") { client in
                _ = try await client.call(ProtocolMethods.ping, Empty(), options)
            }
        } catch let error as RPCError {
            // Too busy to do more is at work; that was an answer.
            if error.kind != .overloaded { throw error }
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }
}
