/// A budget for the bytes that a peer makes this process hold: on a connection, or as the items of a stream. Lives on the
/// event loop.
///
/// Some bytes can be refused: those of attachments and parts, and large parameters. Others have been received when they are
/// counted: those of incomplete frames, and items that their reader has not taken. When these exceed the budget of the
/// process, the holder of most bytes is ended.
final class AssemblyBudget {
    /// The bytes that could be refused.
    private(set) var bytes = 0
    let limit: Int

    /// The bytes that could not be refused.
    private(set) var held = 0

    /// Ends the holder of these bytes, with this error.
    var end: (RPCError) -> Void = { _ in }
    private var isEnded = false

    /// The budget shared by all connections of the process.
    private let process: ProcessTotal
    private let processLimit: Int

    /// Lives on the event loop.
    final class ProcessTotal {
        fileprivate(set) var bytes = 0
        fileprivate let memory: SpikeTrimmer

        /// Those that hold bytes and can be ended.
        fileprivate var holders: [ObjectIdentifier: AssemblyBudget] = [:]

        init(memory: SpikeTrimmer) { self.memory = memory }

        /// Ends the holder of most bytes.
        fileprivate func endLargest() {
            guard let largest = holders.values.max(by: { $0.total < $1.total }) else { return }
            largest.isEnded = true
            holders[ObjectIdentifier(largest)] = nil
            largest.end(.processHoldsTooMuch)
        }
    }

    init(limit: Int, processLimit: Int, process: ProcessTotal) {
        self.limit = limit
        self.processLimit = processLimit
        self.process = process
    }

    private var total: Int { bytes + held }

    /// - Returns: false, without taking anything, when the budget would be exceeded.
    func take(_ count: Int) -> Bool {
        guard bytes + count <= limit, process.bytes + count <= processLimit else { return false }
        bytes += count
        add(count)
        return true
    }

    func release(_ count: Int) {
        bytes -= count
        add(-count)
        process.memory.used(count)
    }

    /// Counts bytes that cannot be refused. May end this holder or another.
    /// - Parameter change: negative for bytes that are not held any more.
    func hold(_ change: Int) {
        guard change != 0 else { return }
        held += change
        add(change)
        if change > 0, process.bytes > processLimit { process.endLargest() }
    }

    private func add(_ change: Int) {
        process.bytes += change
        if total == 0 {
            process.holders[ObjectIdentifier(self)] = nil
        } else if total == change, !isEnded {
            process.holders[ObjectIdentifier(self)] = self
        }
    }
}

extension RPCError {
    fileprivate static let processHoldsTooMuch = overloaded(
        "this process holds too many received bytes, and this connection most of them")
}
