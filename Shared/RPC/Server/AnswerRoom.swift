import NIOCore

/// Whether a connection can take a large answer, or still has to deliver earlier ones. A handler with megabytes to fetch
/// asks before it fetches them: what has been computed is never dropped, so what is not needed yet should not be computed.
public struct AnswerRoom: Sendable {
    /// Nil where there is room for anything.
    private let connection: NIOLoopBound<ServerConnection>?

    init(_ connection: NIOLoopBound<ServerConnection>?) { self.connection = connection }

    /// Whether there is room now.
    public var isThere: Bool {
        get async {
            await connection?.look(\.hasRoom) ?? true
        }
    }

    /// Returns once there is room, or nobody left to answer.
    public func wait() async {
        guard let connection else { return }
        await withCheckedContinuation { continuation in
            connection.onLoop { $0.whenRoom { continuation.resume() } }
        }
    }
}
