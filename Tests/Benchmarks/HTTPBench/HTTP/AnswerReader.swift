import BenchKit

/// Reads HTTP/1.1 responses with a length, one after the other. It uses little processor time, because the server runs on the
/// same machine.
struct AnswerReader {
    private var head: [UInt8] = []
    private var bodyLeft: Int?

    /// The body size of the last complete response.
    private(set) var bodyBytes = 0

    /// - Returns: whether the response is complete.
    /// - Throws: when its status is not 200.
    mutating func add(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
        var left: Int
        if let bodyLeft {
            left = bodyLeft - bytes.count
        } else {
            let begun = head.count
            head += bytes
            guard let end = endOfHead(from: max(0, begun - 3)) else { return false }
            bodyBytes = try length(of: head[..<end])
            left = bodyBytes - (head.count - end)
            head.removeAll(keepingCapacity: true)
        }
        guard left >= 0 else { throw Failure("a response is longer than its Content-Length") }
        bodyLeft = left == 0 ? nil : left
        return left == 0
    }

    private func endOfHead(from start: Int) -> Int? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard head.count >= 4 else { return nil }
        for index in start...(head.count - 4) where head[index] == 13 && head[index..<(index + 4)].elementsEqual(end) {
            return index + 4
        }
        return nil
    }

    private func length(of head: ArraySlice<UInt8>) throws -> Int {
        let lines = head.split(separator: 10)
        guard let status = lines.first, status.starts(with: Array("HTTP/1.1 200".utf8)) else {
            throw Failure("answered with \(String(decoding: head.prefix { $0 != 13 }, as: UTF8.self))")
        }
        let name = Array("content-length:".utf8)
        for line in lines where line.count > name.count {
            guard zip(line, name).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { continue }
            let digits = line.dropFirst(name.count).filter { (48...57).contains($0) }
            return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        }
        throw Failure("a response has no Content-Length")
    }
}
