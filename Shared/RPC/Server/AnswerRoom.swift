import NIOCore

/// Whether a connection can take a large answer, or still has to deliver earlier ones. A handler with megabytes to fetch
/// asks before it fetches them: what has been computed is never dropped, so what is not needed yet should not be computed.
/// It has less room than there is in all, so that new calls are not refused for the sake of large answers that wait.
public struct AnswerRoom: Sendable {
    /// Nil where there is room for anything.
    private let connection: NIOLoopBound<ServerConnection>?

    init(_ connection: NIOLoopBound<ServerConnection>?) { self.connection = connection }

    /// Whether there is room now.
    public var isThere: Bool {
        get async {
            await connection?.look(\.hasRoomForLarge) ?? true
        }
    }

    /// Returns once there may be room, or no peer left to answer, or the task is cancelled. Others may have been quicker:
    /// look again.
    public func wait() async {
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
    }
}

/// What all connections of a process hold in answers that their peers have not taken. Lives on the event loop.
final class AnswerTotal {
    private(set) var bytes = 0

    /// The connections that wait until it is less.
    private var waiting: [ObjectIdentifier: ServerConnection] = [:]

    /// - Parameter limit: below this, connections that wait look whether they can go on.
    func change(by count: Int, limit: Int) {
        bytes += count
        guard bytes < limit, !waiting.isEmpty else { return }
        let waiting = waiting
        self.waiting = [:]
        for connection in waiting.values { connection.offerRoom() }
    }

    func wait(_ connection: ServerConnection) { waiting[ObjectIdentifier(connection)] = connection }

    func forget(_ connection: ServerConnection) { waiting[ObjectIdentifier(connection)] = nil }
}
