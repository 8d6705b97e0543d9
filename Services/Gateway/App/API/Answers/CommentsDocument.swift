import EdgeModel
import CommentsContract
import Crypto
import Foundation
import JSON
import NIOCore
import RPC

/// All comments of an image as a JSON text, shared by concurrent requests.
struct CommentsDocument: SharedDocument {
    let json: JSONDocument
    let origin: AnswerOrigin
    let savedAt: Date?

    /// Small documents are not cached: they are cheap to generate.
    var heldBytes: Int? { json.text.readableBytes > AnswerBudget.smallAnswer ? json.text.readableBytes : nil }

    var kept: CommentsDocument { self }
}

/// Writes `{"items":[…]}` page by page, so that memory never holds all comments and their text at the same time.
struct CommentsWriter {
    private var text = ByteBuffer()
    private var hash = SHA256()
    private var isEmpty = true

    init() { write(Array(#"{"items":["#.utf8)) }

    /// The size of the finished text in bytes, if no page is added.
    var count: Int { text.readableBytes + Self.end.count }

    private static let end = Array("]}".utf8)

    mutating func append(_ comments: [Comment]) {
        guard !comments.isEmpty else { return }
        if !isEmpty { write([UInt8(ascii: ",")]) }
        isEmpty = false
        // The page without its brackets.
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
