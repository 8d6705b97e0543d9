@testable import RPC

extension LoopExecutor {
    /// The bytes of incomplete attachments and parts on connections of this loop.
    func assembledBytes() async -> Int {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: self.assembly.bytes) }
        }
    }
}
