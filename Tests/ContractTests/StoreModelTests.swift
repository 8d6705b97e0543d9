import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Testing

/// Random faults of an authority's store and process: the service serves all acknowledged writes, or refuses and names the
/// store. Equal seeds give equal histories.
struct StoreModelTests {
    private static let seeds = ModelSeeds.count(usual: 3)

    @Test(arguments: Deployment.services) func `nothing acknowledged is lost silently`(name: String) async throws {
        for seed in 1...Self.seeds {
            try await withTemporaryDirectory { root in
                // A store of the same kind, from another deployment.
                try await RunningService.with(
                    name, root: root + "/o", arguments: ["--create"] + StoreHistory.arguments(of: name)
                ) {
                    try await $0.write(StoreHistory.foreign, to: name)
                }
                let history = StoreHistory(name, root: root, seed: UInt64(seed))
                for _ in 1...8 { try await history.live() }
            }
        }
    }
}

extension StoreModelTests {
    /// Two services of a kind over one database, whose server ends, drops their connections, and comes back.
    @Test(.enabled(if: PostgresServer.isInstalled), arguments: Deployment.services)
    func `nothing acknowledged is lost in a database`(name: String) async throws {
        for seed in 1...Self.seeds {
            let history = DatabaseHistory(name, try PostgresServer(), seed: UInt64(seed))
            let url = try history.server.newDatabase()
            for _ in 1...3 { try await history.live(at: url) }
        }
    }
}

/// The runs of two services over one database, and its expected content.
private final class DatabaseHistory {
    let server: PostgresServer
    private let name: String
    private let seed: UInt64
    private var random: SeededRandom

    /// The numbers whose writes were acknowledged, and those that may have been written.
    private var (acknowledged, unknown) = (Set<Int>(), Set<Int>())
    private var last = 0
    private var events: [String] = []

    init(_ name: String, _ server: PostgresServer, seed: UInt64) {
        (self.name, self.server, self.seed) = (name, server, seed)
        random = SeededRandom(seed: seed)
    }

    /// One run of both services.
    func live(at url: String) async throws {
        let arguments = ["--store", url] + StoreHistory.arguments(of: name)
        let isKilled = Bool.random(using: &random)
        do {
            try await RunningService.with(name, arguments: arguments) { first in
                try await RunningService.with(name, arguments: arguments) { second in
                    for _ in 1...8 { try await step([first, second]) }
                    for service in [first, second] { try await check(service) }
                }
                if isKilled { first.kill() }
            }
        } catch let failure as RunningService.Failure where failure.status == 128 + SIGKILL {
            events.append("killed")
        }
    }

    private func step(_ services: [RunningService]) async throws {
        let service = services[Int.random(in: 0...1, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            events.append("server stops")
            try server.stop()
            #expect(try await !write(service), "\(story)")
            try server.start()
            events.append("server starts")
            for service in services { try await eventually { try await self.write(service) } }
        case 1:
            events.append("connections end")
            try server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'image-feed%'")
            for service in services { try await eventually { try await self.write(service) } }
        default: #expect(try await write(service), "\(story)")
        }
    }

    /// - Returns: whether it was acknowledged.
    private func write(_ service: RunningService) async throws -> Bool {
        last += 1
        do {
            try await service.write(last, to: name)
            events.append("wrote \(last)")
            acknowledged.insert(last)
            return true
        } catch let error as RPCError {
            events.append("refused \(last): \(error)")
            unknown.insert(last)
            #expect(error.kind == .unavailable, "\(story)")
            return false
        }
    }

    private func check(_ service: RunningService) async throws {
        let found = try await service.numbers(of: name, upTo: last)
        let isRight = found.isSuperset(of: acknowledged) && found.isSubset(of: acknowledged.union(unknown))
        #expect(isRight, "\(found), not \(acknowledged), perhaps \(unknown): \(story)")
    }

    private var story: String { "\(name), seed \(seed): \(events.joined(separator: "; "))" }
}

/// The runs of one service on one store, and the expected content of the store.
private final class StoreHistory {
    private let name: String
    private let root: String
    private let seed: UInt64
    private var random: SeededRandom

    /// The numbers whose writes were acknowledged.
    private var acknowledged: Set<Int> = []

    /// The numbers that may have been written.
    private var unknown: Set<Int> = []
    private var last = 0
    private var condition = Condition.whole

    /// Whether the journal was removed while the service ran. An orderly shutdown checkpoints all writes into the file; a kill
    /// does not.
    private var journalIsGone = false
    private var events: [String] = []

    /// The number in the store of the other deployment.
    static let foreign = 1_000

    /// Without fetching, so that lost pictures are not loaded again, and without variants, so that many are put quickly.
    static func arguments(of name: String) -> [String] {
        name == "image-data" ? ["--no-fetch", "--variants", "off"] : []
    }

    private enum Condition: Equatable {
        case whole

        /// There is no file, or it is not a store.
        case gone
        case exchanged

        /// A page was overwritten, possibly an unused one.
        case damaged
    }

    init(_ name: String, root: String, seed: UInt64) {
        (self.name, self.root, self.seed) = (name, root, seed)
        random = SeededRandom(seed: seed)
    }

    private var path: String { "\(root)/data/\(name).sqlite" }

    /// One run from start to exit, and a change of the files afterwards.
    func live() async throws {
        let isNew = condition != .whole && Bool.random(using: &random)
        let isKilled = Bool.random(using: &random)
        note(isNew ? "start --new-store" : "start")
        do {
            try await RunningService.with(
                name, root: root, arguments: Self.arguments(of: name) + (isNew ? ["--new-store"] : [])
            ) { service in
                if try await isWithoutStore(service) {
                    try await refuse(service)
                } else {
                    noteStart(isNew: isNew, log: service.log)
                    try await serve(service)
                }
                if isKilled { service.kill() }
            }
            note("stopped")
            journalIsGone = false
        } catch let failure as RunningService.Failure where failure.status == 128 + SIGKILL {
            note("killed")
        }
        if journalIsGone { loseLastWrites() }
        journalIsGone = false
        if condition == .whole { try breakFiles() }
    }

    private func isWithoutStore(_ service: RunningService) async throws -> Bool {
        try await service.client.call(ProtocolMethods.health, ServiceSelection()).status == .degraded
    }

    /// A service without a store refuses everything.
    private func refuse(_ service: RunningService) async throws {
        note("serves without a store: \(service.log)")
        #expect(condition != .whole && service.log.contains(path), "\(story)")
        last += 1
        let (number, name) = (last, name)
        let errors = [
            await #expect(throws: RPCError.self, "\(story)") { try await service.write(number, to: name) },
            await #expect(throws: RPCError.self, "\(story)") { _ = try await service.numbers(of: name, upTo: number) },
        ]
        #expect(errors.allSatisfy { $0?.kind == .unavailable }, "\(story)")
    }

    private func noteStart(isNew: Bool, log: String) {
        note("serves")
        switch condition {
        case .whole: return
        case .gone: (acknowledged, unknown) = ([], [])
        case .exchanged: (acknowledged, unknown) = ([Self.foreign], [])
        case .damaged:
            // The store may be usable despite the damage.
            guard isNew, log.contains("renamed") else { return }
            (acknowledged, unknown) = ([], [])
        }
        #expect(isNew, "\(story)")
        condition = .whole
    }

    // MARK: One run

    private func serve(_ service: RunningService) async throws {
        try await check(service)
        for _ in 1...Int.random(in: 1...6, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try breakOpenFiles()
            default: await write(service)
            }
        }
        try await check(service)
    }

    private func write(_ service: RunningService) async {
        last += 1
        do {
            try await service.write(last, to: name)
            note("wrote \(last)")
            #expect(condition == .whole && !journalIsGone || condition == .damaged, "\(story)")
            acknowledged.insert(last)
        } catch {
            note("refused \(last): \(error)")
            unknown.insert(last)
            #expect(condition != .whole || journalIsGone, "\(story)")
            expectNamed(error)
        }
    }

    private func check(_ service: RunningService) async throws {
        do {
            let found = try await service.numbers(of: name, upTo: last)
            let isRight = found.isSuperset(of: acknowledged) && found.isSubset(of: acknowledged.union(unknown))
            #expect(isRight, "\(found), not \(acknowledged), perhaps \(unknown): \(story)")
        } catch {
            note("unreadable: \(error)")
            #expect(condition != .whole, "\(story)")
            expectNamed(error)
        }
    }

    private func expectNamed(_ error: any Error) {
        let kind = (error as? RPCError)?.kind
        #expect(kind == .unavailable || kind == .dataLoss, "\(error) \(story)")
    }

    // MARK: Files

    private func breakOpenFiles() throws {
        guard condition == .whole, !journalIsGone else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try remove()
        case 1: try exchange()
        default:
            note("rm journal")
            try FileManager.default.removeItem(atPath: path + "-wal")
            journalIsGone = true
        }
    }

    private func breakFiles() throws {
        let hasJournal = FileManager.default.fileExists(atPath: path + "-wal")
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try remove()
        case 1: try exchange()
        case 2:
            note("empty")
            try Data().write(to: URL(filePath: path))
            condition = .gone
        case 3:
            note("garbage")
            try Data(repeating: 0x2E, count: 20_000).write(to: URL(filePath: path))
            condition = .gone
        case 4 where hasJournal:
            note("rm journal")
            try FileManager.default.removeItem(atPath: path + "-wal")
            loseLastWrites()
        case 5 where !hasJournal: try damage()
        default: break
        }
    }

    /// The writes that were only in the journal are lost; which those are is unknown.
    private func loseLastWrites() { (acknowledged, unknown) = ([], unknown.union(acknowledged)) }

    private func remove() throws {
        note("rm")
        try FileManager.default.removeItem(atPath: path)
        condition = .gone
    }

    private func exchange() throws {
        note("exchange")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: "\(root)/o/data/\(name).sqlite", toPath: path)
        condition = .exchanged
    }

    private func damage() throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let page = Int.random(in: 0..<bytes.count / 4_096, using: &random)
        note("zero page \(page) of \(bytes.count / 4_096)")
        bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: Data(count: 4_096))
        try bytes.write(to: URL(filePath: path))
        condition = .damaged
    }

    private func note(_ event: String) { events.append(event) }

    private var story: String { "\(name), seed \(seed): \(events.joined(separator: "; "))" }
}

// The three services as stores of numbers.

extension RunningService {
    fileprivate func write(_ number: Int, to name: String) async throws {
        switch name {
        case "feed":
            let item = FeedItem(id: UUID(number: number), image: "urn:x:\(number)")
            _ = try await client.call(FeedContract.publish, PublishedItems(items: [item]))
        case "comments":
            let post = PostComment(
                imageID: UUID(number: 0), message: "Lovely!", username: "ana", id: UUID(number: number))
            _ = try await client.call(CommentsContract.post, post)
        default:
            let put = PutImage(data: Bytes(.pixel), url: Self.url(number))
            _ = try await client.call(ImageDataContract.put, put)
        }
    }

    /// The stored numbers among 1…`last` and the number of the other deployment.
    fileprivate func numbers(of name: String, upTo last: Int) async throws -> Set<Int> {
        switch name {
        case "feed":
            Set(try await client.call(FeedContract.load, LoadFeed(limit: 100)).items.map(\.id.number))
        case "comments":
            Set(
                try await client.call(CommentsContract.list, ListComments(imageID: UUID(number: 0))).items
                    .map(\.id.number))
        default: try await pictures([Int](1...max(last, 1)) + [StoreHistory.foreign])
        }
    }

    private func pictures(_ numbers: [Int]) async throws -> Set<Int> {
        var found: Set<Int> = []
        for number in numbers where try await hasPicture(number) { found.insert(number) }
        return found
    }

    private func hasPicture(_ number: Int) async throws -> Bool {
        do {
            let image = try await client.call(ImageDataContract.load, LoadImage(url: Self.url(number)))
            return image.data.data == .pixel
        } catch {
            guard error.kind == .notFound else { throw error }
            return false
        }
    }

    private static func url(_ number: Int) -> String { "https://pictures.example/\(number)" }
}
