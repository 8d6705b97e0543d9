import Foundation
import Glibc
import RPCTestKit
import Testing

import Processes

/// Programs with limits; each test's program is a shell script.
struct LimitedProcessTests {
    private func run(
        _ script: String, _ input: Data = Data(), _ change: (inout LimitedProcess.Limits) -> Void = { _ in }
    ) async throws -> Data {
        var process = LimitedProcess(
            path: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin", "ONLY": "this"])
        process.limits.time = .seconds(60)
        change(&process.limits)
        return try await process.run(input)
    }

    private func failure(
        _ script: String, _ input: Data = Data(), _ change: (inout LimitedProcess.Limits) -> Void = { _ in }
    ) async -> LimitedProcess.Failure? {
        await #expect(throws: LimitedProcess.Failure.self) { try await run(script, input, change) }
    }

    @Test(arguments: [0, 1, 65_537, 5_000_000]) func `all input arrives, and all output is returned`(size: Int)
        async throws
    {
        let input = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        #expect(try await run("cat", input) { $0.outputBytes = size } == input)
    }

    @Test func `a program can read the attachment, each time from the beginning`() async throws {
        let path = LimitedProcess.attachmentPath
        var process = LimitedProcess(
            path: "/bin/sh", arguments: ["-c", "cat; cat \(path) \(path)"], environment: ["PATH": "/usr/bin:/bin"])
        process.attachment = Data("attached".utf8)
        #expect(try await process.run(Data("input ".utf8)) == Data("input attachedattached".utf8))
    }

    @Test func `a program may ignore its input`() async throws {
        #expect(try await run("exec <&-; sleep 0.1; echo done", Data(count: 3_000_000)) == Data("done\n".utf8))
    }

    @Test func `output over the limit is refused, however much follows`() async throws {
        #expect(try await run("printf 1234") { $0.outputBytes = 4 } == Data("1234".utf8))
        #expect(await failure("printf 12345") { $0.outputBytes = 4 } == .tooMuchOutput)
        #expect(await failure("cat /dev/zero") == .tooMuchOutput)
    }

    @Test func `a failure has the exit code and the beginning of the standard error`() async throws {
        #expect(await failure("echo no >&2; exit 3") == .failed(code: 3, "no\n"))
        #expect(await failure("kill -9 $$") == .failed(code: 137, ""))
        let failure = await failure("head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 1")
        #expect(failure == .failed(code: 1, String(repeating: "x", count: 1_000)))
    }

    @Test func `a failure is described in one line`() {
        #expect(
            "\(LimitedProcess.Failure.failed(code: 1, "unable to read\nno header\n"))"
                == "exit code 1: unable to read: no header")
        #expect("\(LimitedProcess.Failure.failed(code: 139, ""))" == "exit code 139")
    }

    @Test func `a missing program is not started`() async throws {
        let process = LimitedProcess(path: "/nowhere", arguments: [], environment: [:])
        let failure = await #expect(throws: LimitedProcess.Failure.self) { try await process.run(Data()) }
        guard case .notStarted(let reason)? = failure else { return #expect(Bool(false)) }
        #expect(reason.contains("/nowhere"))
    }

    @Test(arguments: ["sleep 600", "exec >&- 2>&-; sleep 600", "sleep 600 & exit 0", "sleep 600 & sleep 600 & wait"])
    func `a program that takes too long is killed with its children`(script: String) async throws {
        let failure = await failure(script) { $0.time = .milliseconds(300) }
        #expect(failure == .timedOut)
    }

    @Test func `children do not outlive the program`() async throws {
        try await withTemporaryDirectory { directory in
            let life = directory + "/life"
            #expect(mkfifo(life, 0o600) == 0)
            // Ends when no process has the other end open.
            async let end = run("cat \(life)")
            _ = try await run("exec 9>\(life); sleep 600 <&- >&- 2>&- &")
            let output = try await end
            #expect(output.isEmpty)
        }
    }

    @Test func `a cancelled program is killed`() async throws {
        try await withTemporaryDirectory { directory in
            let (begun, end) = (directory + "/begun", directory + "/end")
            for path in [begun, end] { #expect(mkfifo(path, 0o600) == 0) }
            let task = Task { try await run("echo begun >\(begun); cat \(end)") }
            _ = try await run("cat \(begun)")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `memory, files and the processor are limited`() async throws {
        let after = try await run("read x; ulimit -v; ulimit -f; ulimit -c; ulimit -n; ulimit -t", Data("x\n".utf8)) {
            $0.memoryBytes = 512 << 20
            $0.processorSeconds = 7
        }
        #expect(String(decoding: after, as: UTF8.self) == "524288\n2048\n0\n64\n7\n")
        // POSIX shells count files in blocks of 512 bytes.
        try await withTemporaryDirectory { directory in
            let file = directory + "/file"
            _ = try await run("read x; head -c 5000000 /dev/zero > \(file); true", Data("x\n".utf8))
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            #expect(size == 1 << 20)
        }
    }

    @Test func `only the given environment and the three standard files are inherited`() async throws {
        let output = try await run("env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= | sort; ls /proc/$$/fd; true")
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasPrefix("ONLY=this\nPATH=/usr/bin:/bin\n"), "\(text)")
        // `ls` is not in a pipe, for which the shell would open further files. A shell may open its own at 10 or above.
        let files = text.split(separator: "\n").compactMap { Int($0) }
        #expect(files.filter { $0 < 10 } == [0, 1, 2], "\(text)")
    }

    @Test func `no descriptor and no zombie is left`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            /// The number of open pipes and sockets. The system's timers open other files at any time.
            func files() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { file in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
                    return target?.hasPrefix("pipe:") == true || target?.hasPrefix("socket:") == true
                }
            }
            func run(_ script: String, time: Duration = .seconds(60)) async -> (any Error)? {
                var process = LimitedProcess(path: "/bin/sh", arguments: ["-c", script], environment: [:])
                process.limits.time = time
                do {
                    _ = try await process.run(Data(count: 100_000))
                    return nil
                } catch {
                    return error
                }
            }
            _ = await run("true")
            let before = try files()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        switch number % 3 {
                        case 0:
                            let error = await run("cat >&2")
                            precondition(error == nil)
                        case 1:
                            let error = await run("sleep 60", time: .milliseconds(20))
                            precondition(error as? LimitedProcess.Failure == .timedOut)
                        default:
                            let task = Task { await run("sleep 60") }
                            task.cancel()
                            let error = await task.value
                            precondition(error is CancellationError)
                        }
                    }
                }
            }
            let after = try files()
            precondition(after == before)
            precondition(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
        }
    }
}
