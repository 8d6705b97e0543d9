import NIOCore

/// The parts of one server, one on each of its event loops.
struct ServerCores: Sendable {
    private let cores: [(executor: LoopExecutor, core: NIOLoopBound<ServerCore>)]

    init(on executors: LoopExecutors, _ make: @escaping @Sendable (LoopExecutor) -> ServerCore) async {
        var cores: [(executor: LoopExecutor, core: NIOLoopBound<ServerCore>)] = []
        for executor in executors.all {
            // `ServerCore` must be made on its event loop.
            let core = await withTaskExecutorPreference(executor) {
                NIOLoopBound(make(executor), eventLoop: executor.loop)
            }
            cores.append((executor, core))
        }
        self.cores = cores
        for core in cores {
            let others = cores.map(\.core).filter { $0.eventLoop !== core.executor.loop }
            core.core.onLoop { $0.others = others }
        }
    }

    /// The part on this event loop. On that loop only.
    func core(on loop: any EventLoop) -> ServerCore {
        for (executor, core) in cores where executor.loop === loop { return core.value }
        preconditionFailure("a connection is on an event loop that is not the server's")
    }

    func onEach(_ body: @escaping @Sendable (ServerCore) -> Void) {
        for (_, core) in cores { core.onLoop(body) }
    }

    /// The statistics of all parts.
    func statistics() async -> Statistics? { await cores.map(\.core).statistics() }

    /// Returns once all parts have drained or were closed, and no connection and no running handler is left.
    func untilOver() async {
        for (executor, core) in cores {
            await withTaskExecutorPreference(executor) { await core.value.untilOver() }
        }
    }
}

extension [NIOLoopBound<ServerCore>] {
    /// The checks of methods that are slow on an event loop, each once.
    func slownessChecks() async -> [Health.Check] {
        var checks: [Health.Check] = []
        for core in self {
            let more = await core.look(\.slownessChecks)
            checks += more.filter { check in !checks.contains { $0.name == check.name } }
        }
        return checks
    }

    /// The sum of the statistics; nil for no part.
    func statistics() async -> Statistics? {
        var sum: Statistics?
        for core in self {
            let part = await core.look { $0.statistics }
            sum = sum.map { $0.adding(part) } ?? part
        }
        return sum
    }
}
