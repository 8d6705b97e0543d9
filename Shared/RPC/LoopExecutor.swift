import NIOCore
import NIOPosix

/// Runs tasks on an event loop, so that a call that is read, handled and answered there never changes threads.
///
/// Whatever runs here must not block: it would hold up every connection of the loop.
///
/// Tasks that become ready on the loop itself wait in a queue of the executor's own. A connection that has read calls
/// `runReadyTasks` at the end of its read, so that in one turn of the loop requests are read, handled and answered, with
/// one write for all answers, where a turn of the loop per step would cost a system call each.
///
/// `@unchecked Sendable`: `ready`, `flushes`, `assembly` and the two flags are touched on the event loop only; `enqueue`, which any
/// thread may call, touches them only after it has found itself on the loop.
public final class LoopExecutor: TaskExecutor, @unchecked Sendable {
    public let loop: any EventLoop

    private var ready = CircularBuffer<UnownedJob>()
    private var flushes: [() -> Void] = []
    private var isRunning = false
    private var isScheduled = false

    /// What the connections of this loop hold of attachments and parts that are not complete. On the event loop only.
    let assembly = AssemblyBudget.ProcessTotal()

    /// How many tasks run in one turn of the loop before sockets are looked at again.
    private static let tasksPerTurn = 256

    public init(_ loop: any EventLoop) { self.loop = loop }

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

    /// Runs `flush` once the tasks that are ready have run. On the event loop only.
    func flushAfterTasks(_ flush: @escaping () -> Void) {
        flushes.append(flush)
        schedule()
    }

    /// Runs what is ready, and what becomes ready by that. On the event loop only.
    func runReadyTasks() {
        guard !isRunning else { return }
        isRunning = true
        var left = Self.tasksPerTurn
        while left > 0, let job = ready.popFirst() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            left -= 1
        }
        let due = flushes
        flushes.removeAll(keepingCapacity: true)
        for flush in due { flush() }
        isRunning = false
        schedule()
    }

    /// Makes sure that what is ready runs even if nobody calls `runReadyTasks`.
    private func schedule() {
        guard !isRunning, !isScheduled, !(ready.isEmpty && flushes.isEmpty) else { return }
        isScheduled = true
        loop.assumeIsolated().execute {
            self.isScheduled = false
            self.runReadyTasks()
        }
    }
}
