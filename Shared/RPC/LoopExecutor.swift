import NIOCore
import NIOPosix

/// Runs tasks on an event loop, so that a call that is read, handled and answered there never changes threads.
///
/// Whatever runs here must not block: it would hold up every connection of the loop.
///
/// Tasks that become ready on the loop itself wait in a queue of the executor's own. They run at the end
/// of each read, so that in one turn of the loop requests are read, handled and answered, with one write for all answers,
/// where a turn of the loop per step would cost a system call each.
///
/// A turn of tasks is limited: what is left runs after the loop has looked at its sockets again, so that tasks that never
/// wait for anything stop no read, no cancel and no new connection.
///
/// `@unchecked Sendable`: all variables, `assembly`, `answers` and `memory` are touched on the event loop only; `enqueue`, which
/// any thread may call, touches them only after it has found itself on the loop.
public final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    public let loop: any EventLoop

    private var ready = CircularBuffer<UnownedJob>()
    private var flushes: [FrameWriter] = []
    private var isRunning = false
    private var isScheduled = false

    /// Whether a connection reads messages.
    private var isReading = false

    /// What the connections of this loop hold of attachments and parts that are not complete. On the event loop only.
    let assembly = AssemblyBudget.ProcessTotal()

    /// What the connections of this loop hold of answers. On the event loop only.
    let answers = AnswerTotal()

    /// Returns memory to the system. On the event loop only.
    let memory: SpikeTrimmer

    /// How many tasks run in one turn, and for how long a turn begins more of them.
    private static let tasksPerTurn = 256
    private static let turnTime = TimeAmount.milliseconds(1)

    /// How many tasks run between two readings of the clock. One reading costs about as much as starting a small task.
    private static let tasksPerLook = 8

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
            ready.append(job)
            schedule()
        } else {
            loop.execute {
                self.ready.append(job)
                self.runReadyTasks()
            }
        }
    }

    /// Runs `body` on the event loop once what is ready now has run and its answers have left: for work that nobody who is
    /// answered now should wait for.
    public func afterAnswers(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    /// Flushes once the tasks that are ready have run. On the event loop only.
    func flushAfterTasks(_ writer: FrameWriter) {
        flushes.append(writer)
        schedule()
    }

    /// A connection begins to read messages: what becomes ready runs when it calls `endReading`. On the event loop only.
    func beginReading() { isReading = true }

    func endReading() {
        isReading = false
        runReadyTasks()
    }

    /// Runs what is ready, and what becomes ready by that. On the event loop only.
    func runReadyTasks() {
        guard !isRunning else { return }
        isRunning = true
        let end = loop.now + Self.turnTime
        var left = Self.tasksPerTurn
        while left > 0, let job = ready.popFirst() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            left -= 1
            if left.isMultiple(of: Self.tasksPerLook), loop.now >= end { break }
        }
        let due = flushes
        flushes.removeAll(keepingCapacity: true)
        for writer in due { writer.flush() }
        isRunning = false
        schedule(afterPolling: !ready.isEmpty)
    }

    /// Makes sure that what is ready runs even without another call of `runReadyTasks`.
    /// - Parameter afterPolling: whether the sockets come first.
    private func schedule(afterPolling: Bool = false) {
        guard !isRunning, !isReading, !isScheduled, !(ready.isEmpty && flushes.isEmpty) else { return }
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
