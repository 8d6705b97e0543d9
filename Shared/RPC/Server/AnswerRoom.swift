import NIOCore

/// Tells whether a connection can accept a large answer. A handler asks before it fetches megabytes: a computed answer
/// is never dropped, so it should not be computed before it can be sent. The limit is lower than that for ordinary
/// answers, so that queued large answers do not cause new calls to be refused.
public struct AnswerRoom: Sendable {
    /// Nil for no limit.
    private let connection: NIOLoopBound<ServerConnection>?

    init(_ connection: NIOLoopBound<ServerConnection>?) { self.connection = connection }

    /// Whether a large answer can be accepted now.
    public var isThere: Bool {
        get async {
            await connection?.look(\.hasRoomForLarge) ?? true
        }
    }

    /// Returns once a large answer may be accepted or the connection closes. Check `isThere` again: another handler may
    /// have used the capacity.
    /// - Throws: `CancellationError`. A handler that were told nothing would check and wait again without an end.
    public func wait() async throws {
        guard let connection else { return }
        let cancellation = CancellationFlag()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connection.onLoop {
                    $0.whenRoomForLarge(.init(cancellation: cancellation) { continuation.resume() })
                }
            }
        } onCancel: {
            cancellation.raise()
            connection.onLoop { $0.cancelWait(cancellation) }
        }
        try Task.checkCancellation()
    }
}

/// The total bytes of unread answers on all connections of a process. Lives on the event loop.
final class AnswerTotal {
    private(set) var bytes = 0
    private let memory: SpikeTrimmer

    /// The connections that wait for the total to fall.
    private var waiting: [ObjectIdentifier: ServerConnection] = [:]

    init(memory: SpikeTrimmer) { self.memory = memory }

    /// - Parameter limit: waiting connections resume when the total is below this.
    func change(by count: Int, limit: Int) {
        bytes += count
        memory.used(max(0, -count))
        guard bytes < limit, !waiting.isEmpty else { return }
        let waiting = waiting
        self.waiting = [:]
        for connection in waiting.values { connection.offerRoom() }
    }

    func wait(_ connection: ServerConnection) { waiting[ObjectIdentifier(connection)] = connection }

    func forget(_ connection: ServerConnection) { waiting[ObjectIdentifier(connection)] = nil }
}
