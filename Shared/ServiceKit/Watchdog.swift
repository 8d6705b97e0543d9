import Logging
import NIOCore
import RPC
import Timing

/// Sends keep-alive messages to the supervisor while the service works. Each follows a successful ping over a new connection to
/// the service's own socket, which tests accepting, the event loop, parsing, handling and writing.
struct Watchdog: Sendable {
    let path: SocketPath

    /// The longest time between two keep-alive messages.
    let time: Duration
    let logger: Logger

    /// Runs the pings, and has the clock.
    var executor = LoopExecutor.shared
    let tellAlive: @Sendable () -> Void

    /// Runs until the task is cancelled.
    func run() async {
        let clock = executor.clock
        var hasFailed = false
        while !Task.isCancelled {
            let next = clock.now + TimeAmount(time / 2)
            do throws(RPCError) {
                try await ping()
                tellAlive()
                hasFailed = false
            } catch {
                // Logs a series of failures once. A failure through cancellation is not one.
                if !hasFailed, !Task.isCancelled { logger.error("no answer to our own ping: \(error.message)") }
                hasFailed = true
            }
            // On cancellation the sleep throws, and the loop's condition ends the loop.
            try? await clock.sleep(until: next)
        }
    }

    /// - Throws: when there is no answer in time.
    func ping() async throws(RPCError) {
        // Pings start every `time / 2`, and each may take half of that. So the next message is always in time.
        let options = CallOptions(timeout: TimeAmount(time / 4))
        do {
            try await RPCClient.withConnection(to: path, as: "watchdog", executor: executor) { client in
                _ = try await client.call(ProtocolMethods.ping, Empty(), options)
            }
        } catch let error as RPCError {
            // An overloaded service has answered, so it works.
            if error.kind != .overloaded { throw error }
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }
}
