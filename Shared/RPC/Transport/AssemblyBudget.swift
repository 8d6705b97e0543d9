/// A connection's budget for the bytes of attachments and parts, which it buffers until they are complete and used.
/// Lives on the event loop.
final class AssemblyBudget {
    private(set) var bytes = 0
    let limit: Int

    /// The budget shared by all connections of the process.
    private let process: ProcessTotal
    private let processLimit: Int

    /// Lives on the event loop.
    final class ProcessTotal {
        fileprivate(set) var bytes = 0
        fileprivate let memory: SpikeTrimmer

        init(memory: SpikeTrimmer) { self.memory = memory }
    }

    init(limit: Int, processLimit: Int, process: ProcessTotal) {
        self.limit = limit
        self.processLimit = processLimit
        self.process = process
    }

    /// - Returns: false, without taking anything, when the budget would be exceeded.
    func take(_ count: Int) -> Bool {
        guard bytes + count <= limit, process.bytes + count <= processLimit else { return false }
        bytes += count
        process.bytes += count
        return true
    }

    func release(_ count: Int) {
        bytes -= count
        process.bytes -= count
        process.memory.used(count)
    }
}
