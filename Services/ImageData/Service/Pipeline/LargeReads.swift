import RPC

/// Limits the number of images that are read into memory at a time, and delays reads whose caller cannot take the
/// answer yet. In base64 an image has up to 8 MB, and a caller may request thousands.
actor LargeReads {
    /// Two: one image is read while another is sent.
    static let atATime = 2

    private var free = LargeReads.atATime
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `read` when a slot is free and the caller's connection has space for the answer.
    func run<Image: Sendable>(
        _ room: AnswerRoom?, _ read: @Sendable () async throws -> Image
    ) async throws -> Image {
        while true {
            // A caller whose connection is full waits here without holding a slot.
            try await room?.wait()
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
