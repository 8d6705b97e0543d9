import JSON

/// The member `attachments` of an envelope: the transfer numbers of the message's attachments. It has a meaning only if
/// the peers negotiated attachments, so it is parsed later.
struct AttachmentNumbers: Sendable {
    private let text: RawJSON?

    init(_ text: RawJSON?) { self.text = text }

    static let none = AttachmentNumbers(nil)

    /// Whether the envelope has this member.
    var areThere: Bool { text != nil }

    /// - Throws: `invalid_request` when they are not numbers, or too many.
    func read() throws(RPCError) -> [UInt32] {
        guard let text else { return [] }
        do throws(JSONError) {
            return try text.read(as: Self.codec).map { UInt32(clamping: $0) }
        } catch {
            throw RPCError(.invalidRequest, "\(error.inside("attachments"))", begun: false)
        }
    }

    private static let codec = Codec<[Int]>.array(
        of: .integer(1...Int(UInt32.max)), count: 0...OutgoingSchedule.attachmentLimit)
}
