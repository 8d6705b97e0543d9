import BenchKit

/// What is compared: a server, and the way it is called.
protocol Subject: Sendable {
    /// As it stands in the tables.
    var name: String { get }

    /// Where it serves, when it is started in that directory.
    func socket(in directory: String) -> String

    /// Starts serving; who waits for the socket waits for the server.
    func start(in directory: String) throws -> Served

    /// The program that measures it, and its arguments before `measure SOCKET LOAD`.
    func measuring(_ load: Load, over socket: String) throws -> [String]

    /// Whether it has a way to do this at all.
    func takes(_ load: Load) -> Bool
}

extension Subject {
    func socket(in directory: String) -> String { "\(directory)/\(name.filter(\.isLetter)).sock" }

    func takes(_ load: Load) -> Bool { !load.isCancelling }
}

/// A subject that serves.
struct Served {
    /// The one whose memory and start count.
    let server: ChildProcess

    /// What it needs to have behind it.
    var behind: [ChildProcess] = []

    func stop() {
        server.stop()
        behind.forEach { $0.stop() }
    }
}
