import CommentsContract
import Crypto
import Foundation
import JSON
import NIOCore
import RPC

/// All comments of an image as they are sent, shared by all who ask for them at the same time.
struct CommentsDocument: SharedAnswer {
    let json: JSONDocument
    let origin: ListedComments.Origin
    let savedAt: Date?

    /// Small documents are made anew for each request: that costs little, and they are never old.
    var heldBytes: Int? { json.text.readableBytes > AnswerBudget.smallAnswer ? json.text.readableBytes : nil }

    var kept: CommentsDocument { self }
}

/// Writes `{"items":[…]}` page by page, so that no list of all comments is ever held beside its text.
struct CommentsWriter {
    private var text = ByteBuffer()
    private var hash = SHA256()
    private var isEmpty = true

    init() { write(Array(#"{"items":["#.utf8)) }

    /// How many bytes the text has when it ends here.
    var count: Int { text.readableBytes + Self.end.count }

    private static let end = Array("]}".utf8)

    mutating func append(_ comments: [Comment]) {
        guard !comments.isEmpty else { return }
        if !isEmpty { write([UInt8(ascii: ",")]) }
        isEmpty = false
        // Without the brackets of the page.
        write(RawJSON(comments, as: .array(of: Comment.codec)).bytes.dropFirst().dropLast())
    }

    mutating func finish() -> JSONDocument {
        write(Self.end)
        return JSONDocument(text, hash)
    }

    private mutating func write(_ bytes: some Collection<UInt8>) {
        let start = text.writerIndex
        text.writeBytes(bytes)
        text.withUnsafeReadableBytes { written in
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: written[start...]))
        }
    }
}
