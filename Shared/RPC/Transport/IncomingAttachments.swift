/// The attachments of one message while they arrive. Lives on the event loop.
final class IncomingAttachments {
    let numbers: [UInt32]

    /// Whether their checksums are computed as they arrive: not for a forwarder.
    let areChecked: Bool

    /// Called once, when all are complete or one has failed.
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

    /// The bytes of those that are complete.
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

    /// The message is not wanted any more.
    func forget() { whenDone = nil }

    private func end(_ result: Result<[Attachment], RPCError>) {
        let whenDone = whenDone
        self.whenDone = nil
        whenDone?(result)
    }
}
