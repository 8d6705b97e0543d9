import RPC

/// The instances of a verification: a shared one for the cases that do not need a fresh instance, and one for each other case.
struct SharedInstance {
    private let subject: Subject
    private var shared: Instance?
    private var hasFailedToStart = false

    /// How long a program may take to accept a connection.
    private let startTime: Duration

    private let cancellation: Cancellation

    /// - Parameter timeout: the time of a step. A program may take as long to start, but not less than `StartedProgram.startTime`.
    init(_ subject: Subject, _ timeout: Duration, _ cancellation: Cancellation) {
        (self.subject, self.cancellation) = (subject, cancellation)
        startTime = max(timeout, StartedProgram.startTime)
    }

    struct NotAvailable: Error {
        let reason: String
    }

    mutating func instance(needsFresh: Bool, of suite: ContractSuite) throws -> Instance {
        switch subject {
        case .socket where needsFresh:
            throw NotAvailable(reason: "needs a fresh instance: use --start")
        case .socket(let path):
            do {
                let instance = try shared ?? Instance(try SocketPath(path))
                shared = instance
                return instance
            } catch let error as SocketError {
                throw PeerFault("\(error)")
            }
        case .command(let command):
            if needsFresh { return try started(command, suite) }
            if let shared, shared.program?.hasEnded == false { return shared }
            stop()
            let instance = try started(command, suite)
            shared = instance
            return instance
        }
    }

    /// A program that did not start once is not started again.
    private mutating func started(_ command: String, _ suite: ContractSuite) throws -> Instance {
        if hasFailedToStart { throw NotAvailable(reason: "the implementation does not start") }
        do {
            let program = try StartedProgram(
                command, name: suite.name, by: Deadline(startTime, cancellation), cancellation)
            return Instance(program.path, program)
        } catch {
            hasFailedToStart = true
            throw error
        }
    }

    func release(_ instance: Instance, after contractCase: ContractCase) {
        if contractCase.needsFreshInstance { Self.stop(instance) }
    }

    /// Stops the shared instance, if it was started.
    mutating func stop() {
        shared.map(Self.stop)
        shared = nil
    }

    private static func stop(_ instance: Instance) {
        // Fails only if the directory in /tmp cannot be removed. That changes no result.
        try? instance.program?.stop()
    }
}
