@testable import RPC

extension LoopExecutor {
    /// What connections of this loop hold of attachments and parts.
    func assembledBytes() async -> Int {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: self.assembly.bytes) }
        }
    }
}
