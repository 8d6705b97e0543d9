import NIOCore
import RPC

extension Plugin {
    /// How long a reader waits for a plugin before the plugin is pinged. A plugin that has left the last ping unanswered is pinged at once.
    static let patience = TimeAmount.milliseconds(400)

    /// How long a plugin has to answer the ping.
    static let pingTime = TimeAmount.milliseconds(200)

    /// Makes a call for a reader. A plugin that works slowly may use the whole time of the call, because it still answers pings.
    /// - Throws: `unavailable` as soon as the plugin has left a ping unanswered.
    func whileAnswering<Answer: Sendable>(
        _ call: @escaping @Sendable () async throws(RPCError) -> Answer
    ) async throws(RPCError) -> Answer {
        let pinging = standing.hangs ? clock.now : clock.now + Self.patience
        let outcome = await withTaskGroup { group in
            group.addTask { Optional(await result(call)) }
            group.addTask { await silence(from: pinging).map { .failure($0) } }
            defer { group.cancelAll() }
            // The ping has no outcome while the plugin answers. The call always has one.
            for await case let outcome? in group { return outcome }
            return .failure(RPCError(.cancelled, "cancelled"))
        }
        return try outcome.get()
    }

    /// Pings the plugin.
    /// - Returns: nil unless the plugin leaves the ping unanswered: other errors are those of the call too.
    private func silence(from time: NIODeadline) async -> RPCError? {
        do {
            try await clock.sleep(until: time)
            _ = try await client.call(ProtocolMethods.ping, Empty(), CallOptions(timeout: Self.pingTime))
        } catch {
            guard (error as? RPCError)?.kind == .deadlineExceeded else { return nil }
            standing.note(hangs: true)
            return named(RPCError(.unavailable, "it does not answer a ping", begun: true))
        }
        standing.note(hangs: false)
        return nil
    }
}
