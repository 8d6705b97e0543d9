import CPostgres
import Foundation
import Glibc
import Synchronization

/// Interrupts a connection: its wait ends at once, also if the server hangs, and the server is asked to end the statement. The
/// connection cannot be used again, because that request may arrive late and would end the next statement.
///
/// `@unchecked Sendable`: nothing changes after `init`, and libpq allows `PQcancel` on any thread.
final class InterruptSignal: @unchecked Sendable {
    /// Can be read once it is interrupted.
    let file: Int32
    private let cancel: OpaquePointer
    private let library: UnsafePointer<libpq>

    /// - Parameter cancel: freed with this object.
    /// - Returns: nil without free descriptors.
    init?(_ cancel: OpaquePointer, _ library: UnsafePointer<libpq>) {
        file = libpq_event()
        guard file >= 0 else {
            library.pointee.freeCancel(cancel)
            return nil
        }
        (self.cancel, self.library) = (cancel, library)
    }

    deinit {
        close(file)
        library.pointee.freeCancel(cancel)
    }

    fileprivate func send() {
        var one: UInt64 = 1
        write(file, &one, MemoryLayout.size(ofValue: one))
        // It waits for the server's answer. A thread of its own: if the server hangs, no more than the connections of the pool wait.
        Thread.detachNewThread { [self] in
            var message = [CChar](repeating: 0, count: 256)
            _ = library.pointee.cancel(cancel, &message, Int32(message.count))
        }
    }
}

/// A task's use of a connection, which the task's cancellation interrupts.
final class InterruptibleUse: Sendable {
    private enum State {
        case waiting
        case using(InterruptSignal)
        case cancelled
        case over
    }

    private let state = Mutex(State.waiting)

    func begin(_ signal: InterruptSignal) throws(CancellationError) {
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .using(signal)
            return false
        }
        if isCancelled { throw CancellationError() }
    }

    /// - Returns: whether the connection was interrupted.
    func end() -> Bool {
        state.withLock { state in
            defer { state = .over }
            if case .cancelled = state { return true }
            return false
        }
    }

    func cancel() {
        state.withLock { state in
            if case .using(let signal) = state { signal.send() }
            if case .over = state { return }
            state = .cancelled
        }
    }
}
