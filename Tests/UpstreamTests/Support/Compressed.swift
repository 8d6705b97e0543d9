import Foundation

/// Compressed by somebody else than the library that inflates it here.
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

    /// - Returns: nothing when Python is not there, which no test takes for what it wants.
    private static func python(_ expression: String, _ bytes: [UInt8]) -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import sys, gzip, zlib; sys.stdout.buffer.write(\(expression))"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        do {
            try process.run()
            // It reads all before it writes anything.
            try input.fileHandleForWriting.write(contentsOf: Data(bytes))
            try input.fileHandleForWriting.close()
            return Array(try output.fileHandleForReading.readToEnd() ?? Data())
        } catch {
            return []
        }
    }
}
