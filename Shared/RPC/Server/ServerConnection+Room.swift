/// Limits the bytes of answers that peers have not read, per connection and per process (`AnswerTotal`). `AnswerRoom`
/// is the part for handlers.
extension ServerConnection {
    /// Bytes of answers that are unsent or wait for the rest of their batch.
    private var heldAnswers: Int { writer.queuedBytes + batchBytes }

    /// Whether one more handler may start. True for a closed connection, because its answers are dropped.
    var hasRoom: Bool { isOver || heldAnswers < core.limits.queuedBytes && hasShare(heldAnswers) }

    /// Whether the process is below its limit for answers, or this connection holds little of that total: peers that do
    /// not read must not block the others.
    private func hasShare(_ bytes: Int) -> Bool {
        core.executor.answers.bytes < core.limits.queuedBytesPerProcess || bytes < Limits.chunkBytes
    }

    /// Whether the next waiting call may start: answers are below their limits, or its answer helps to complete a
    /// batch, which frees memory.
    var mayStartNext: Bool {
        guard let call = waiting.first else { return false }
        if hasRoom { return true }
        if case .batch(let batch, _, _) = call.destination, batch.bytes > 0 { return true }
        core.executor.answers.wait(self)
        return false
    }

    /// Whether a call may start while reading. Calls of a batch start only after all are read: a duplicate id is
    /// refused, and one member may cancel another.
    func mayStartNow(toAnswer destination: Call.Destination) -> Bool {
        if case .batch = destination { return false }
        return waiting.isEmpty && hasRoom && core.executor.mayStart()
    }

    /// - Parameter resume: called once a handler may start or the connection has closed; possibly at once.
    func whenRoom(_ resume: @escaping () -> Void) {
        waitingForRoom.append(resume)
        offerRoom()
    }

    /// Updates this connection's share of the process's total.
    func countAnswers() {
        let held = isOver ? 0 : heldAnswers
        guard held != countedBytes else { return }
        let (total, limit) = (core.executor.answers, core.limits.queuedBytesPerProcess)
        let wasBelow = total.bytes < limit
        let change = held - countedBytes
        countedBytes = held
        total.change(by: change, limit: limit)
        if wasBelow, total.bytes >= limit { core.press() }
    }

    func offerRoom() {
        if isOver || writer.queuedBytes < core.limits.queuedBytes { answersWithoutRoom = 0 }
        core.queue.offerTurn(to: self)
        if !waitingForRoom.isEmpty, hasRoom {
            let waiting = waitingForRoom
            waitingForRoom = []
            for resume in waiting { resume() }
        }
        // Resumes all, and each handler checks again; otherwise this would run for each chunk of their answers.
        if !waitingForLargeRoom.isEmpty, hasRoomForLarge(upTo: Self.largeOffer) {
            let waiting = waitingForLargeRoom
            waitingForLargeRoom = []
            for wait in waiting { wait.resume() }
        }
        if !waitingForRoom.isEmpty || !waitingForLargeRoom.isEmpty { core.executor.answers.wait(self) }
    }

    /// Large answers use at most 1/4 of the queue limit; waiting ones resume when at most 1/8 is used. So queued large
    /// answers never make other calls wait.
    private static let largePart = 4
    private static let largeOffer = 8

    /// Whether one more large answer may be added. False while earlier ones wait.
    var hasRoomForLarge: Bool { waitingForLargeRoom.isEmpty && hasRoomForLarge(upTo: Self.largePart) }

    /// Incomplete batches do not count: a member would wait for its own batch forever.
    private func hasRoomForLarge(upTo part: Int) -> Bool {
        isOver || writer.queuedBytes <= core.limits.queuedBytes / part && hasShare(writer.queuedBytes)
    }

    /// A handler that waits to add a large answer.
    struct LargeWait {
        let cancellation: CancellationFlag
        let resume: () -> Void
    }

    /// Resumes the handler once a large answer may be added, it is cancelled, or the connection closes.
    func whenRoomForLarge(_ wait: LargeWait) {
        guard !wait.cancellation.isRaised else { return wait.resume() }
        waitingForLargeRoom.append(wait)
        offerRoom()
    }

    /// Resumes the handler that waits with this flag.
    func cancelWait(_ cancellation: CancellationFlag) {
        guard let index = waitingForLargeRoom.firstIndex(where: { $0.cancellation === cancellation }) else { return }
        waitingForLargeRoom.remove(at: index).resume()
    }
}
