import NIOCore
import NIOPosix

/// Runs tasks on an event loop, so that a call that is read, handled and answered there never changes threads.
///
/// Whatever runs here must not block: it would hold up every connection of the loop.
///
/// Work is done in turns. A connection reads in a turn, so that in one turn of the loop requests are read, handled and
/// answered, with one write for all answers: a turn of the loop per step would cost a system call each. Tasks that become
/// ready on the loop itself wait in a queue of the executor's own, and run at the end of the turn.
///
/// A turn is limited: what is left runs after the loop has looked at its sockets again, so that work that never waits for
/// anything stops no read, no cancel and no new connection.
///
/// `@unchecked Sendable`: all mutable state, and `assembly`, `answers` and `memory`, are touched on the event loop only;
/// `enqueue` of a job, which any thread may call, touches them only after it has found itself on the loop.
public final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    public let loop: any EventLoop

    private enum Work {
        case job(UnownedJob)
        case body(() -> Void)
    }

    private var ready = CircularBuffer<Work>()
    private var flushes: [FrameWriter] = []
    private var isInTurn = false
    private var isScheduled = false

    /// When the clock was read last in this turn: exact enough for a deadline.
    private(set) var now = NIODeadline.distantPast
    private var turnEnd = NIODeadline.distantPast
    private var startsLeft = 0

    /// What the connections of this loop hold of attachments and parts that are not complete. On the event loop only.
    let assembly = AssemblyBudget.ProcessTotal()

    /// What the connections of this loop hold of answers. On the event loop only.
    let answers = AnswerTotal()

    /// Returns memory to the system. On the event loop only.
    let memory: SpikeTrimmer

    /// How many tasks and calls start in one turn, and for how long a turn starts more of them.
    private static let startsPerTurn = 1_024
    private static let turnTime = TimeAmount.milliseconds(1)

    /// How many start between two readings of the clock. One reading costs about as much as starting a small task.
    private static let startsPerLook = 8

    /// NIO runs tasks that are due before it polls its selector, also those that become due meanwhile. A turn that is due
    /// only after this time is one for which it polls.
    private static let pollingTime = TimeAmount.microseconds(20)

    public init(_ loop: any EventLoop) {
        self.loop = loop
        memory = SpikeTrimmer(loop)
    }

    /// The executor of this process. One loop serves all connections of this protocol: its work per call is small, and what
    /// is not small (writes, blobs) has threads of its own.
    public static let shared = LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.inEventLoop {
            ready.append(.job(job))
            schedule()
        } else {
            loop.execute {
                self.ready.append(.job(job))
                self.runReadyTasks()
            }
        }
    }

    /// Runs `body` in a turn, as a task that has become ready. On the event loop only.
    func enqueue(_ body: @escaping () -> Void) {
        ready.append(.body(body))
        schedule()
    }

    /// Runs `body` on the event loop once what is ready now has run and its answers have left: for work that nobody who is
    /// answered now should wait for.
    public func afterAnswers(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    /// Flushes at the end of the turn. On the event loop only.
    func flushAfterTasks(_ writer: FrameWriter) {
        flushes.append(writer)
        schedule()
    }

    // MARK: Turns

    /// Runs `body`, then what is ready, and what becomes ready by that. On the event loop only.
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

    /// Runs what is ready, and what becomes ready by that. On the event loop only.
    func runReadyTasks() { turn {} }

    /// Whether one more task or call may start in this turn.
    func mayStart() -> Bool {
        guard startsLeft > 0 else { return false }
        startsLeft -= 1
        if startsLeft.isMultiple(of: Self.startsPerLook) { readClock() }
        return now < turnEnd
    }

    /// Whether nothing more starts in this turn.
    var isTurnOver: Bool { startsLeft <= 0 || now >= turnEnd }

    @discardableResult
    func readClock() -> NIODeadline {
        now = loop.now
        return now
    }

    /// Makes sure that what is ready runs even if no connection reads.
    /// - Parameter afterPolling: whether the sockets come first.
    private func schedule(afterPolling: Bool = false) {
        guard !isInTurn, !isScheduled, !(ready.isEmpty && flushes.isEmpty) else { return }
        isScheduled = true
        let turn = {
            self.isScheduled = false
            self.runReadyTasks()
        }
        if afterPolling {
            loop.assumeIsolated().scheduleTask(in: Self.pollingTime, turn)
        } else {
            loop.assumeIsolated().execute(turn)
        }
    }
}
