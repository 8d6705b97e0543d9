import NIOCore
import NIOPosix
import Timing

/// A task executor on an event loop: a call that is read, handled and answered there never changes threads.
///
/// Code that runs here must not block: it would delay every connection of the loop.
///
/// Work is done in turns. One turn covers reading, handling and answering all available requests, with one write for
/// all answers; a turn of the event loop per step would cost one system call each. Tasks that become ready on the loop
/// wait in the executor's own queue and run at the end of the turn.
///
/// A turn is limited. The rest of its work runs after the loop has polled its sockets, so that tasks that never wait do
/// not block reads, cancellations or new connections.
///
/// `@unchecked Sendable`: all mutable state, including `assembly`, `answers` and `memory`, is accessed on the event
/// loop only. Any thread may call `enqueue` for a job; it accesses that state only when it runs on the loop.
public final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    public let loop: any EventLoop

    /// The time of deadlines and pauses on this loop.
    public let clock: any MonotonicClock

    private enum Work {
        case job(UnownedJob)
        case body(() -> Void)
    }

    private var ready = CircularBuffer<Work>()
    private var flushes: [FrameWriter] = []
    private var isInTurn = false
    private var isScheduled = false

    /// Starts a turn after the loop has polled. Nil on a loop without sockets. Made when the first turn leaves work for the next.
    private lazy var polled: PollSignal? = PollSignal(
        loop,
        wake: { self.runScheduledTurn() },
        end: {
            self.polled = nil
            self.runScheduledTurn()
        })

    /// The time at the last clock reading of this turn: precise enough for deadlines.
    private(set) var now = NIODeadline.distantPast
    private var turnEnd = NIODeadline.distantPast
    private var startsLeft = 0
    private var readsUntilLook = startsPerLook

    /// The bytes of incomplete attachments and parts on this loop's connections. On the event loop only.
    let assembly: AssemblyBudget.ProcessTotal

    /// The bytes of unread answers on this loop's connections. On the event loop only.
    let answers: AnswerTotal

    /// Returns memory to the system. On the event loop only.
    let memory: SpikeTrimmer

    /// How many tasks and calls may start in one turn, and for how long.
    private static let startsPerTurn = 1_024
    private static let turnTime = TimeAmount.milliseconds(1)

    /// How many tasks and calls start, or messages are read, between two clock readings. A reading costs about as much as starting
    /// a small task.
    private static let startsPerLook = 8

    /// Where large texts are parsed; nil for a loop that no other thread may use.
    private let threads: NIOThreadPool?

    public init(
        _ loop: any EventLoop, clock: any MonotonicClock = .system, threads: NIOThreadPool? = .singleton
    ) {
        self.loop = loop
        self.clock = clock
        self.threads = threads
        memory = SpikeTrimmer(loop, clock)
        assembly = AssemblyBudget.ProcessTotal(memory: memory)
        answers = AnswerTotal(memory: memory)
    }

    /// The executor of this process. One loop serves all connections of this protocol: its work per call is small, and
    /// expensive work (writes, blobs) has threads of its own.
    public static let shared = LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.inEventLoop {
            ready.append(.job(job))
            schedule()
        } else {
            loop.execute {
                self.ready.append(.job(job))
                // A turn per job of another thread would keep the loop from polling while such jobs arrive.
                if !self.isScheduled { self.runReadyTasks() }
            }
        }
    }

    /// Runs `body` in a turn, like a task that has become ready. On the event loop only.
    func enqueue(_ body: @escaping () -> Void) {
        ready.append(.body(body))
        schedule()
    }

    /// Runs `body` on the event loop after the tasks that are ready now have run and their answers are written. For
    /// work that should not delay these answers.
    public func afterAnswers(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    /// Flushes at the end of the turn. On the event loop only.
    func flushAfterTasks(_ writer: FrameWriter) {
        flushes.append(writer)
        schedule()
    }

    // MARK: Turns

    /// Runs `body`, then all tasks that are ready or become ready meanwhile. On the event loop only.
    func turn(_ body: () -> Void) {
        guard !isInTurn else { return body() }
        isInTurn = true
        startsLeft = Self.startsPerTurn
        turnEnd = readClock() + Self.turnTime
        body()
        while !ready.isEmpty, mayStart() {
            switch ready.removeFirst() {
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .body(let body): body()
            }
        }
        let due = flushes
        flushes.removeAll(keepingCapacity: true)
        for writer in due { writer.flush() }
        isInTurn = false
        schedule(afterPolling: !ready.isEmpty)
    }

    /// Runs all tasks that are ready or become ready meanwhile. On the event loop only.
    func runReadyTasks() { turn {} }

    /// Whether one more task or call may start in this turn.
    func mayStart() -> Bool {
        guard startsLeft > 0 else { return false }
        startsLeft -= 1
        if startsLeft.isMultiple(of: Self.startsPerLook) { readClock() }
        return now < turnEnd
    }

    /// Whether one more message may be read in this turn, after one was. Also one that starts nothing takes time.
    func mayRead() -> Bool {
        readsUntilLook -= 1
        if readsUntilLook <= 0 {
            readsUntilLook = Self.startsPerLook
            readClock()
        }
        return startsLeft > 0 && now < turnEnd
    }

    @discardableResult
    func readClock() -> NIODeadline {
        now = clock.now(on: loop)
        return now
    }

    /// Ends the turn: the loop polls its sockets and starts other calls before the caller continues. For a task that would not wait
    /// for a long time. Returns at once on another thread.
    public nonisolated(nonsending) func yield() async {
        await withUnsafeContinuation { continuation in
            guard loop.inEventLoop else { return continuation.resume() }
            startsLeft = 0
            enqueue { continuation.resume() }
        }
    }

    // MARK: Large texts

    /// Runs `body` on another thread, and `whenDone` with its result on the event loop: for work that takes a time in
    /// proportion to a large text. On the event loop only.
    func runBeside<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result, whenDone: @escaping (Result) -> Void
    ) {
        guard let threads else {
            let result = body()
            return loop.assumeIsolated().execute { whenDone(result) }
        }
        let whenDone = NIOLoopBound(whenDone, eventLoop: loop)
        threads.submit { _ in
            let result = body()
            whenDone.eventLoop.execute { whenDone.value(result) }
        }
    }

    /// Runs `body` on another thread: for work that takes a time in proportion to a large text.
    public nonisolated(nonsending) static func beside<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withUnsafeContinuation { continuation in
            NIOThreadPool.singleton.submit { _ in continuation.resume(returning: body()) }
        }
    }

    // MARK: Timers

    /// Runs `body` once `deadline` has passed. On the event loop only.
    @discardableResult
    func schedule(at deadline: NIODeadline, _ body: @escaping () -> Void) -> Scheduled<Void> {
        clock.schedule(at: deadline, on: loop, body)
    }

    /// Runs `body` after `time`. On the event loop only.
    @discardableResult
    func schedule(in time: TimeAmount, _ body: @escaping () -> Void) -> Scheduled<Void> {
        clock.schedule(in: time, on: loop, body)
    }

    /// Ensures that ready tasks run even if no connection reads.
    /// - Parameter afterPolling: whether to poll the sockets first.
    private func schedule(afterPolling: Bool = false) {
        guard !isInTurn, !isScheduled, !(ready.isEmpty && flushes.isEmpty) else { return }
        isScheduled = true
        if afterPolling, let polled {
            polled.send()
        } else {
            loop.assumeIsolated().execute { self.runScheduledTurn() }
        }
    }

    private func runScheduledTurn() {
        isScheduled = false
        runReadyTasks()
    }
}
