import CLibFuzzer
import Foundation
import RPCFuzzing

/// `rpc-fuzz TARGET [OPTION OF LIBFUZZER …] [FOLDER …]`; deploy/fuzz is for people.
@main
enum Main {
    /// C calls without a context.
    nonisolated(unsafe) private static var target = FuzzTarget.decoder

    static func main() {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = CommandLine.arguments.dropFirst().first, let target = FuzzTarget(rawValue: name) else {
            FileHandle.standardError.write(Data("rpc-fuzz: the first argument names what to fuzz: \(names)\n".utf8))
            exit(64)
        }
        self.target = target
        // libFuzzer sees the program's name and its own options, and keeps both.
        var arguments = ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)).map { strdup($0) }
        var count = Int32(arguments.count)
        arguments.append(nil)
        let status = arguments.withUnsafeMutableBufferPointer { buffer in
            var pointer = buffer.baseAddress
            return LLVMFuzzerRunDriver(&count, &pointer, testOneInput)
        }
        exit(status)
    }

    fileprivate static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        do {
            try target.run(Array(bytes))
        } catch {
            // libFuzzer keeps the bytes under which the program dies.
            fatalError("\(error)")
        }
    }
}

/// The name is that of libFuzzer's own `main`, which is linked in although ours is used.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Main.run(UnsafeBufferPointer(start: bytes, count: count))
    return 0
}
