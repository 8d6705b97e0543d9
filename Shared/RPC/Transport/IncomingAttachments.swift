/// The attachments of one message while they arrive. Lives on the event loop.
final class IncomingAttachments {
    let numbers: [UInt32]

    /// Whether checksums are computed during the transfer; false for a forwarder.
    let areChecked: Bool

    /// Called once, when all attachments are complete or one has failed.
    private var whenDone: ((Result<[Attachment], RPCError>) -> Void)?
    private var attachments: [Attachment?]

    init(
        _ numbers: [UInt32], areChecked: Bool, whenDone: @escaping (Result<[Attachment], RPCError>) -> Void
    ) {
        self.numbers = numbers
        self.areChecked = areChecked
        self.whenDone = whenDone
        attachments = Array(repeating: nil, count: numbers.count)
    }

    /// The bytes of the complete attachments.
    var heldBytes: Int { attachments.reduce(0) { $0 + ($1?.data.count ?? 0) } }

    /// Whether all are complete, one has failed, or `forget` was called.
    var isOver: Bool { whenDone == nil }

    func complete(_ attachment: Attachment, number: UInt32) {
        guard let index = numbers.firstIndex(of: number) else { return }
        attachments[index] = attachment
        let complete = attachments.compactMap(\.self)
        if complete.count == numbers.count { end(.success(complete)) }
    }

    func fail(_ error: RPCError) {
        attachments = []
        end(.failure(error))
    }

    /// Drops the callback, because the message is not needed any more.
    func forget() { whenDone = nil }

    private func end(_ result: Result<[Attachment], RPCError>) {
        let whenDone = whenDone
        self.whenDone = nil
        whenDone?(result)
    }
}
