import CLibFuzzer
import Foundation
import RPCFuzzing
import UpstreamFuzzing

/// `rpc-fuzz TARGET [OPTION OF LIBFUZZER …] [FOLDER …]`. Tests/Fuzzing/fuzz is the interface for people.
@main
enum Main {
    private typealias Target = ([UInt8]) throws -> Void

    /// Global, because libFuzzer's callback has no context argument.
    nonisolated(unsafe) private static var target: Target = { _ in }

    /// The HTTP client's target; the others are the runtime's.
    private static let response = "response"

    static func main() {
        let names = (FuzzTarget.allCases.map(\.rawValue) + [response]).joined(separator: ", ")
        let first = CommandLine.arguments.dropFirst().first
        let named = first.flatMap(target(named:))
        guard let name = named == nil ? ProcessInfo.processInfo.environment[variable] : first,
            let target = target(named: name)
        else {
            FileHandle.standardError.write(Data("rpc-fuzz: the first argument names what to fuzz: \(names)\n".utf8))
            exit(64)
        }
        self.target = target
        setenv(variable, name, 1)
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

    /// The environment variable with the target. To merge and to minimise, libFuzzer runs the program again without the first
    /// argument.
    private static let variable = "RPC_FUZZ_TARGET"

    private static func target(named name: String) -> Target? {
        if name == response { return { try ResponseFuzz.run($0) } }
        guard let target = FuzzTarget(rawValue: name) else { return nil }
        return { try target.run($0) }
    }

    fileprivate static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        do {
            try target(Array(bytes))
        } catch {
            // libFuzzer saves the input that crashes the program.
            fatalError("\(error)")
        }
    }
}

/// The symbol that libFuzzer's own `main` needs. That is linked in although it is not used.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Main.run(UnsafeBufferPointer(start: bytes, count: count))
    return 0
}
