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
