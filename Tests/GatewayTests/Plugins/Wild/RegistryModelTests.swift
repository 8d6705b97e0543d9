import Foundation
import JSON
import NIOCore
import RPC
import RPCTestKit
import Testing
import Timing

@testable import gateway

/// A folder of manifests and the processes of its plugins, which change at random while the plugins are called.
///
/// After each step the registry must have the manifests that `PluginChoice` gives, and each plugin the state of its process. A
/// plugin that is never touched must answer a call that is under way during each step, on the same connection.
struct RegistryModelTests {
    /// The number of steps for each seed.
    private static let steps = 12

    private static let wait = Method("\(WildWorld.good).wait", "", params: Empty.codec, answer: Empty.codec)

    @Test(arguments: 1...ModelSeeds.count(usual: 3))
    func `whatever happens, each plugin is in its state, and the others are not affected`(seed: Int) async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        let steps = Watched(0)
        var table = MethodTable(Contract(name: WildWorld.good, version: 1, methods: [Self.wait.description]))
        table.handle(Self.wait) { _, _ in
            let step = steps.withLock { $0 }
            called.yield()
            await steps.wait { $0 > step }
            return Empty()
        }
        let manifest = WildWorld.manifest(WildWorld.good, timeout: nil)
        // The processes take real time.
        try await FollowedFolder.with(
            [WildWorld.good: manifest], serving: [WildWorld.good: table], on: .shared
        ) { folder in
            let good = try folder.registry.plugin(WildWorld.good)
            var (begun, world) = (calls.makeAsyncIterator(), WildWorld(folder, seed: seed))
            do {
                for _ in 0..<Self.steps {
                    async let steady = good.call(Self.wait, Empty(), .endless())
                    await begun.next()
                    try await world.step()
                    steps.withLock { $0 += 1 }
                    _ = try await steady
                    #expect(try folder.registry.plugin(WildWorld.good).client === good.client, "\(world.history)")
                }
            } catch {
                Issue.record("\(world.history): \(error)")
            }
            await world.end()
        }
    }
}

/// The files and processes of some plugins, and what the registry must make of them.
private struct WildWorld {
    static let good = "good"
    private static let names = ["a", "b", "c"]

    private let folder: FollowedFolder
    private var random: SeededRandom
    private var processes: [String: WildPlugin] = [:]
    private var stopped: Set<String> = []
    private var inForce: [PluginManifest]

    /// The steps so far, for the messages of failed tests.
    private(set) var history: [String]

    init(_ folder: FollowedFolder, seed: Int) {
        self.folder = folder
        random = SeededRandom(seed: UInt64(seed))
        inForce = folder.registry.plugins.map(\.manifest)
        history = ["seed \(seed)"]
    }

    /// - Parameter path: what it publishes.
    static func manifest(_ name: String, version: Int = 1, path: String? = nil, timeout: Int?) -> String {
        let timeout = timeout.map { #","timeout_ms":\#($0)"# } ?? ""
        let http = path.map { #","http":{"GET /v1/\#($0)":"\#(name).echo"}"# } ?? ""
        return #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{"\#(name)":\#(version)}\#(timeout)\#(http)}"#
    }

    /// Makes a random change, and checks what follows from it.
    mutating func step() async throws {
        let name = Self.names.randomElement(using: &random)!
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: try write(name)
        case 4: try remove(name)
        case 5: try renameFile(name)
        case 6: try await replaceFolder()
        case 7...8: try await restart(name)
        case 9: signal(name)
        default: await misbehave(name)
        }
        try await check()
    }

    func end() async {
        for process in processes.values { await process.kill() }
    }

    // MARK: Steps

    private func file(_ name: String) -> String { "\(folder.path)/\(name).json" }

    private mutating func write(_ name: String) throws {
        let paths = [nil, "p", "q"]
        let valid = Self.manifest(
            name, version: Int.random(in: 1...4, using: &random) == 1 ? 2 : 1,
            path: paths.randomElement(using: &random)!, timeout: Int.random(in: 200...210, using: &random))
        let isValid = Int.random(in: 0..<4, using: &random) > 0
        let text = isValid ? valid : String(valid.dropLast(Int.random(in: 1..<valid.utf8.count, using: &random)))
        if Bool.random(using: &random) {
            history.append("write \(name): \(text)")
            try folder.write(name, text)
        } else {
            history.append("replace \(name): \(text)")
            try folder.writeFile("\(name).new", text)
            try system(rename("\(folder.path)/\(name).new", file(name)))
        }
    }

    private mutating func remove(_ name: String) throws {
        history.append("remove \(name)")
        unlink(file(name))
    }

    /// The file of one plugin becomes that of another.
    private mutating func renameFile(_ name: String) throws {
        let other = Self.names.randomElement(using: &random)!
        history.append("rename \(name) to \(other)")
        rename(file(name), file(other))
    }

    /// Another folder takes the place of the folder at once.
    private mutating func replaceFolder() async throws {
        history.append("replace the folder")
        let new = folder.path + ".new"
        try FileManager.default.copyItem(atPath: folder.path, toPath: new)
        let exchange = """
            import ctypes, sys
            sys.exit(ctypes.CDLL(None).renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2))
            """
        let outcome = try await Program(path: "/usr/bin/env").run(["python3", "-c", exchange, new, folder.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        try FileManager.default.removeItem(atPath: new)
    }

    /// Starts a process, or replaces one.
    private mutating func restart(_ name: String) async throws {
        history.append("restart \(name)")
        await processes[name]?.kill()
        stopped.remove(name)
        processes[name] = try await .start(name, at: "\(folder.root)/run/\(name).sock")
    }

    private mutating func signal(_ name: String) {
        guard let process = processes[name]?.process else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            history.append("kill \(name)")
            process.send(SIGKILL)
            processes[name] = nil
            stopped.remove(name)
        case 1:
            history.append("stop \(name)")
            process.send(SIGSTOP)
            stopped.insert(name)
        default:
            history.append("continue \(name)")
            process.send(SIGCONT)
            stopped.remove(name)
        }
    }

    /// Calls a method that is wrong. The call must end.
    private mutating func misbehave(_ name: String) async {
        let fault = WildPlugin.faults.randomElement(using: &random)!
        history.append("call \(name).\(fault)")
        let isCalled = await call(name, fault) != .methodNotFound
        guard isCalled, fault == "die", let process = processes[name], !stopped.contains(name) else { return }
        // The call may have been refused before it was sent.
        if await failure(of: name) != nil || process.process.status != nil {
            await process.kill()
            processes[name] = nil
        }
    }

    // MARK: Checks

    private enum Outcome: Equatable {
        case answer(pid: Int?)
        case methodNotFound
        case error(ErrorKind, begun: Bool)
    }

    private func call(_ name: String, _ verb: String) async -> Outcome {
        guard let plugin = try? folder.registry.plugin(name) else { return .methodNotFound }
        do throws(RPCError) {
            let answer = try await plugin.call("\(name).\(verb)", Payload(.emptyObject), CallOptions())
            return .answer(pid: try? answer.json.read(as: Self.pid))
        } catch {
            return .error(error.kind, begun: error.begun)
        }
    }

    private static let pid = Codec<Int>.object { object in
        let pid = object.required("pid", .integer(0 ... .max), \.self)
        return { members throws(JSONError) in try members[pid] }
    }

    /// The error of a call; nil for an answer.
    private func failure(of name: String) async -> ErrorKind? {
        if case .error(let kind, _) = await call(name, "echo") { return kind }
        return nil
    }

    private mutating func check() async throws {
        let scan = PluginFolder(path: folder.path).scan()
        let choice = PluginChoice(scan, after: inForce)
        inForce = choice.manifests.sorted { $0.name < $1.name }
        let refused = (scan.rejections.map(\.name) + choice.refused.map(\.manifest.name)).sorted()
        let registry = folder.registry
        await registry.wait { [inForce] plugins, rejections in
            plugins.map(\.manifest) == inForce && rejections.map(\.name) == refused
        }
        for name in Self.names { await checkState(of: name) }
        // The time limit of the test has cancelled it.
        if Task.isCancelled { Issue.record("this state does not come: \(history)") }
    }

    /// Calls the plugin until its answer is that of its state. Such a call takes time or ends with a connection, except while calls fail
    /// at once: then it waits for a change of the plugin.
    private func checkState(of name: String) async {
        let manifest = inForce.first { $0.name == name }
        let (process, isStopped) = (processes[name]?.process, stopped.contains(name))
        let isRight = { (outcome: Outcome) in
            switch outcome {
            case .methodNotFound: manifest == nil
            case .answer(let pid):
                manifest?.contracts[name] == 1 && pid == process.map { Int($0.id) } && !isStopped
            case .error(.deadlineExceeded, _): manifest?.contracts[name] == 1 && process != nil && isStopped
            case .error(.unavailable, _):
                manifest != nil && (process == nil || isStopped || manifest?.contracts[name] == 2)
            case .error: false
            }
        }
        while !Task.isCancelled {
            let standing = (try? folder.registry.plugin(name))?.standing
            let since = standing?.since
            let outcome = await call(name, "echo")
            if isRight(outcome) { return }
            if outcome == .error(.unavailable, begun: false), let standing, let since {
                await standing.wait(forChangeAfter: since)
            }
        }
    }

    private func system(_ result: Int32) throws {
        if result != 0 { throw IOError(errnoCode: errno, reason: "rename") }
    }
}
