import NIOCore

/// Whether a connection can take a large answer, or still has to deliver earlier ones. A handler with megabytes to fetch
/// asks before it fetches them: what has been computed is never dropped, so what is not needed yet should not be computed.
public struct AnswerRoom: Sendable {
    private let connection: NIOLoopBound<ServerConnection>?

    init(_ connection: ServerConnection) {
        self.connection = NIOLoopBound(connection, eventLoop: connection.loop)
    }

    private init() { connection = nil }

    /// For a caller without a connection.
    public static let unlimited = AnswerRoom()

    /// Whether there is room now.
    public var isThere: Bool {
        get async {
            guard let connection else { return true }
            return await withCheckedContinuation { continuation in
                connection.onLoop { continuation.resume(returning: $0.hasRoom) }
            }
        }
    }

    /// Looks at the connection on its event loop; nil without one.
    func look<Value: Sendable>(_ look: @escaping @Sendable (ServerConnection) -> Value) async -> Value? {
        guard let connection else { return nil }
        return await withCheckedContinuation { continuation in
            connection.onLoop { continuation.resume(returning: look($0)) }
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
