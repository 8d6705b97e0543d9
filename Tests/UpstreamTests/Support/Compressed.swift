import Foundation
import RPCTestKit

/// Compressed by somebody else than the library that inflates it here.
enum Compressed {
    /// - Parameter coding: `raw` is deflate without a header.
    static func bytes(_ bytes: [UInt8], as coding: String) throws -> [UInt8] {
        let level = bytes.count > 1_000_000 ? 1 : 6
        switch coding.lowercased() {
        case "gzip", "x-gzip": return try python("gzip.compress(sys.stdin.buffer.read(), \(level))", bytes)
        case "deflate": return try python("zlib.compress(sys.stdin.buffer.read())", bytes)
        default: return try python("zlib.compress(sys.stdin.buffer.read())[2:-4]", bytes)
        }
    }

    private static func python(_ expression: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import sys, gzip, zlib; sys.stdout.buffer.write(\(expression))"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // It reads all before it writes anything.
        try input.fileHandleForWriting.write(contentsOf: Data(bytes))
        try input.fileHandleForWriting.close()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(result)
    }
}
