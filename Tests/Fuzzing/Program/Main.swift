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
        let named = CommandLine.arguments.dropFirst().first.flatMap(FuzzTarget.init)
        guard let target = named ?? inherited else {
            FileHandle.standardError.write(Data("rpc-fuzz: the first argument names what to fuzz: \(names)\n".utf8))
            exit(64)
        }
        self.target = target
        setenv(variable, target.rawValue, 1)
        let options = CommandLine.arguments.dropFirst(named == nil ? 1 : 2)
        var arguments = ([CommandLine.arguments[0]] + options).map { strdup($0) }
        var count = Int32(arguments.count)
        arguments.append(nil)
        let status = arguments.withUnsafeMutableBufferPointer { buffer in
            var pointer = buffer.baseAddress
            return LLVMFuzzerRunDriver(&count, &pointer, testOneInput)
        }
        exit(status)
    }

    /// Where libFuzzer, to merge and to minimise, runs the program again with options of its own only, the target is told here.
    private static let variable = "RPC_FUZZ_TARGET"

    private static var inherited: FuzzTarget? {
        ProcessInfo.processInfo.environment[variable].flatMap(FuzzTarget.init)
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
