import Foundation
import JSON
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

/// A folder of manifests and the processes of its plugins, which change at random while the plugins are called.
///
/// After each step the registry must have the manifests that `PluginChoice` gives, and each plugin the state of its process. A
/// plugin that is never touched must answer every call, on the same connection.
@Suite(.timeLimit(.minutes(ModelSeeds.minutes))) struct RegistryModelTests {
    /// The number of steps for each seed.
    private static let steps = 12

    @Test(arguments: 1...ModelSeeds.count(usual: 3))
    func `whatever happens, each plugin is in its state, and the others are not affected`(seed: Int) async throws {
        try await FollowedFolder.with([WildWorld.good: WildWorld.manifest(WildWorld.good)]) { folder in
            var table = MethodTable(
                Contract(name: WildWorld.good, version: 1, methods: [SteadyCaller.ping.description]))
            table.handle(SteadyCaller.ping) { _, _ in Empty() }
            let socket = try SocketPath("\(folder.root)/run/\(WildWorld.good).sock")
            try await TestServer.with(table, named: WildWorld.good, at: socket, executor: .separate()) { _ in
                let good = try folder.registry.plugin(WildWorld.good)
                await until { await good.client.status().phase == .ready }
                let caller = SteadyCaller(folder.registry)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await caller.run() }
                    var world = WildWorld(folder, seed: seed)
                    do {
                        for _ in 0..<Self.steps { try await world.step() }
                    } catch {
                        Issue.record("\(world.history): \(error)")
                    }
                    caller.stop()
                    await world.end()
                    try await group.waitForAll()
                    #expect(caller.failures == [], "\(world.history)")
                    #expect(try folder.registry.plugin(WildWorld.good).client === good.client, "\(world.history)")
                }
            }
        }
    }
}

/// Calls the plugin that is never touched, again and again.
private final class SteadyCaller: Sendable {
    static let ping = Method("\(WildWorld.good).ping", "", params: Empty.codec, answer: Empty.codec)

    private let registry: PluginRegistry
    private let isOver = Atomic(false)
    private let messages = Mutex<[String]>([])

    init(_ registry: PluginRegistry) { self.registry = registry }

    /// The errors so far.
    var failures: [String] { messages.withLock { $0 } }

    func run() async throws {
        while !isOver.load(ordering: .relaxed) {
            let error = await failure {
                try await registry.plugin(WildWorld.good).call(Self.ping, Empty(), CallOptions())
            }
            if let error { messages.withLock { $0.append(error.message) } }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }
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
    static func manifest(_ name: String, version: Int = 1, path: String? = nil, timeout: Int = 30_000) -> String {
        let http = path.map { #","http":{"GET /v1/\#($0)":"\#(name).echo"}"# } ?? ""
        return #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{"\#(name)":\#(version)},"#
            + #""timeout_ms":\#(timeout)\#(http)}"#
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
        case error(ErrorKind)
    }

    private func call(_ name: String, _ verb: String) async -> Outcome {
        guard let plugin = try? folder.registry.plugin(name) else { return .methodNotFound }
        do throws(RPCError) {
            let answer = try await plugin.call("\(name).\(verb)", Payload(.emptyObject), CallOptions())
            return .answer(pid: try? answer.json.read(as: Self.pid))
        } catch {
            return .error(error.kind)
        }
    }

    private static let pid = Codec<Int>.object { object in
        let pid = object.required("pid", .integer(0 ... .max), \.self)
        return { members throws(JSONError) in try members[pid] }
    }

    /// The error of a call; nil for an answer.
    private func failure(of name: String) async -> ErrorKind? {
        if case .error(let kind) = await call(name, "echo") { return kind }
        return nil
    }

    private mutating func check() async throws {
        let scan = PluginFolder(path: folder.path).scan()
        let choice = PluginChoice(scan, after: inForce)
        inForce = choice.manifests.sorted { $0.name < $1.name }
        let refused = (scan.rejections.map(\.name) + choice.refused.map(\.manifest.name)).sorted()
        let registry = folder.registry
        await until(orRecord: history) {
            registry.plugins.map(\.manifest) == inForce && registry.rejections.map(\.name) == refused
        }
        for name in Self.names {
            let manifest = inForce.first { $0.name == name }
            let (process, isStopped) = (processes[name]?.process, stopped.contains(name))
            await until(orRecord: history) {
                switch await call(name, "echo") {
                case .methodNotFound: manifest == nil
                case .answer(let pid):
                    manifest?.contracts[name] == 1 && pid == process.map { Int($0.id) } && !isStopped
                case .error(.deadlineExceeded): manifest?.contracts[name] == 1 && process != nil && isStopped
                case .error(.unavailable):
                    manifest != nil && (process == nil || isStopped || manifest?.contracts[name] == 2)
                case .error: false
                }
            }
        }
    }

    private func system(_ result: Int32) throws {
        if result != 0 { throw IOError(errnoCode: errno, reason: "rename") }
    }
}

/// Waits until a condition is true. If that takes very long, it records the history.
private func until(orRecord history: [String], _ condition: () async -> Bool) async {
    let start = ContinuousClock.now
    while await !condition() {
        guard ContinuousClock.now - start < .seconds(120) else {
            Issue.record("this state does not come: \(history)")
            return
        }
        await Task.yield()
    }
}
