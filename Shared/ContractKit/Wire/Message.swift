import JSON

/// A message, with the bytes of its attachments in its text.
struct Message {
    let json: JSONValue

    /// The bytes of its text and of its attachments, as they were received.
    let size: Int
}
