import NIOCore

/// The attachments of one message while they come. Lives on the event loop.
final class IncomingAttachments {
    /// Whether their checksums are made as they come: not for who only passes them on.
    let areChecked: Bool

    /// Told once, when all have come or one will not.
    private var whenDone: ((Result<[Attachment], RPCError>) -> Void)?

    private var attachments: [Attachment?]
    private var missing: Int
    let numbers: [UInt32]

    /// When some of them came last: they come one after the other.
    var lastProgress = NIODeadline.distantPast

    init(
        _ numbers: [UInt32], areChecked: Bool, whenDone: @escaping (Result<[Attachment], RPCError>) -> Void
    ) {
        self.numbers = numbers
        self.areChecked = areChecked
        self.whenDone = whenDone
        attachments = Array(repeating: nil, count: numbers.count)
        missing = numbers.count
    }

    /// What those take that have come.
    var heldBytes: Int { attachments.reduce(0) { $0 + ($1?.data.count ?? 0) } }

    func complete(_ attachment: Attachment, at index: Int) {
        attachments[index] = attachment
        missing -= 1
        if missing == 0 { end(.success(attachments.compactMap(\.self))) }
    }

    func fail(_ error: RPCError) {
        attachments = []
        end(.failure(error))
    }

    /// Whether all have come, one will not, or nobody wants them any more.
    var isOver: Bool { whenDone == nil }

    /// Nobody wants them any more.
    func forget() { whenDone = nil }

    private func end(_ result: Result<[Attachment], RPCError>) {
        let whenDone = whenDone
        self.whenDone = nil
        whenDone?(result)
    }
}
