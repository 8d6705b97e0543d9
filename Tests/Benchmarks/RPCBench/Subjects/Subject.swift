import BenchKit

/// A compared system: a server and a way to call it.
protocol Subject: Sendable {
    /// The name in the tables.
    var name: String { get }

    /// The path of its socket when it is started in the directory.
    func socket(in directory: String) -> String

    /// Starts the server. It is ready when its socket accepts connections.
    func start(in directory: String) throws -> Served

    /// The command that measures it.
    func measuring(_ load: Load, over socket: String) throws -> [String]

    /// Whether it supports the load.
    func takes(_ load: Load) -> Bool
}

extension Subject {
    func socket(in directory: String) -> String { "\(directory)/\(name.filter(\.isLetter)).sock" }

    func takes(_ load: Load) -> Bool { !load.isCancelling && !load.isComputing }
}

/// A running subject.
struct Served {
    /// The process whose memory and start are measured.
    let server: ChildProcess

    /// The processes behind it.
    var behind: [ChildProcess] = []

    func stop() {
        server.stop()
        behind.forEach { $0.stop() }
    }
}
