import Foundation
import RPCTestKit

/// Data compressed by Python, not by the tested library.
enum Compressed {
    static let text = Array(String(repeating: "an image feed ", count: 1_000).utf8)

    /// The text; `raw` is deflate without a header.
    static let gzip = python("gzip.compress(sys.stdin.buffer.read())", text)
    static let deflate = python("zlib.compress(sys.stdin.buffer.read())", text)
    static let raw = Array(deflate.dropFirst(2).dropLast(4))

    /// Fifty million zeros.
    static let bomb = python("gzip.compress(bytes(50_000_000), 1)", [])

    static func text(as coding: String) -> [UInt8] {
        switch coding.lowercased() {
        case "gzip", "x-gzip": gzip
        case "deflate": deflate
        default: raw
        }
    }

    /// - Returns: no bytes without Python; no test accepts that as a result.
    private static func python(_ expression: String, _ bytes: [UInt8]) -> [UInt8] {
        let name = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let (input, output) = (name.appendingPathExtension("in"), name.appendingPathExtension("out"))
        do {
            for (file, content) in [(input, bytes), (output, [])] { try Data(content).write(to: file) }
            defer { for file in [input, output] { try? FileManager.default.removeItem(at: file) } }
            let program = "import sys, gzip, zlib; sys.stdout.buffer.write(\(expression))"
            let status = try Spawn.run(
                ["/usr/bin/env", "python3", "-c", program], input: input.path(), output: output.path())
            return status == 0 ? Array(try Data(contentsOf: output)) : []
        } catch {
            return []
        }
    }
}
