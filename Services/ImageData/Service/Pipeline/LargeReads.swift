import RPC

/// Lets few images be in memory at a time, and none that its caller cannot take yet: with base64 each is 8 MB on its way
/// out, and a caller may ask for thousands.
actor LargeReads {
    /// One is read while another is written.
    static let atATime = 2

    private var free = LargeReads.atATime
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `read` when it is its turn and the caller has room for what it reads.
    func run<Image: Sendable>(
        _ room: AnswerRoom?, _ read: @Sendable () async throws -> Image
    ) async throws -> Image {
        while true {
            // Whoever cannot be answered waits here, without taking anybody's turn.
            await room?.wait()
            try Task.checkCancellation()
            await takeTurn()
            defer { giveTurn() }
            if await room?.isThere ?? true { return try await read() }
        }
    }

    private func takeTurn() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func giveTurn() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
