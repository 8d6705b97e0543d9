import Foundation
import JSON
import Logging
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import Synchronization
import Testing
import Timing

@testable import PostgresKit

/// A store of the tests: a table of numbers.
private let things = PostgresSchema("things", steps: ["1 things": "CREATE TABLE thing (number bigint PRIMARY KEY)"])

/// The limits of time of tests with a server that hangs.
private let shortTimes = {
    var times = PostgresConnection.Times()
    (times.connect, times.silence) = (2, 5)
    return times
}()

/// Those of tests in which nothing but a cancellation ends a wait.
private let longTimes = {
    var times = PostgresConnection.Times()
    (times.statement, times.silence) = (3_600, 3_600)
    return times
}()

extension PostgresStore {
    fileprivate static func open(
        _ url: String, _ schema: PostgresSchema = things, log: RecordedLog = RecordedLog(),
        times: PostgresConnection.Times = .init(), clock: any MonotonicClock = .system
    ) throws -> PostgresStore {
        PostgresStore(
            schema, at: try #require(try DatabaseURL(url)), logger: log.logger, times: times,
            now: { Date(timeIntervalSince1970: 7) }, clock: clock)
    }

    fileprivate func add(_ number: Int) async throws {
        try await write { db in
            try db.execute("INSERT INTO thing VALUES ($1)", .value(Int64(number)))
            try PostgresChanges.append(RawJSON(number, as: .integer()), db)
        }
    }

    /// As a caller whose call may be repeated.
    fileprivate func addRepeatedly(_ number: Int, _ clock: ManualClock) async throws {
        while true {
            do {
                return try await add(number)
            } catch PostgresError.refused(code: "23505", _) {
                // It was committed without an answer.
                return
            } catch is StoreError {
                try await clock.sleep(for: .seconds(1))
            }
        }
    }

    fileprivate func numbers() async throws -> [Int64] {
        try await read { try $0.execute("SELECT number FROM thing ORDER BY number").map { try $0.decode(0) } }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresStoreTests {
    private let server: PostgresServer
    private let url: String

    init() throws {
        server = try PostgresServer.shared.get()
        url = try server.newDatabase()
    }

    // MARK: Values

    @Test func `values are read as they were written`() async throws {
        let store = try PostgresStore.open(url)
        let (id, text, bytes) = (UUID(), "à la plage 🏖 '\\\u{1}", Data([0, 255, 7]))
        let isEqual = try await store.read { db in
            let row = try #require(
                try db.execute(
                    "SELECT $1::bigint, $2::text, $3::bytea, $4::uuid, $5::boolean, $6::text", .value(Int64.min),
                    .value(text),
                    .value(bytes), .value(id), .value(true), .value(String?.none)
                ).first)
            return try row.decode(0) == Int64.min && row.decode(1) == text && row.decode(2) == bytes
                && row.decode(3) == id
                && row.decode(4) == true && row.find(5, as: String.self) == nil
        }
        #expect(isEqual)
    }

    @Test(arguments: [[], ["a"], ["a", nil, "", "ç"]] as [[String?]])
    func `arrays are read as they were written`(texts: [String?]) async throws {
        let store = try PostgresStore.open(url)
        let read = try await store.read { db in
            try db.execute(
                "SELECT text FROM unnest($1) WITH ORDINALITY AS given (text, place) ORDER BY place", .array(texts)
            )
            .map { try $0.find(0, as: String.self) }
        }
        #expect(read == texts)
    }

    @Test func `a value of another type is damage`() async throws {
        let store = try PostgresStore.open(url)
        await #expect(throws: StoreError.damaged) {
            _ = try await store.read { try $0.execute("SELECT 1::bigint").first?.decode(0, as: String.self) }
        }
    }

    @Test func `an error of the program is no state of the store`() async throws {
        let store = try PostgresStore.open(url)
        await #expect(throws: PostgresError.self) { try await store.read { _ = try $0.execute("SELECT 1 / 0") } }
        #expect(store.health().map(\.status) == [.serving])
        #expect(try await store.numbers() == [])
    }

    // MARK: Writing

    /// Runs `body` while a write of the store is under way, and ends that once `count` writes wait for it.
    private func whileWriting(
        to store: PostgresStore, until count: Int, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (entered, entering) = AsyncStream.makeStream(of: Void.self)
        let leaving = DispatchSemaphore(value: 0)
        async let blocking: Void = store.write { _ in
            entering.yield()
            leaving.wait()
        }
        for await _ in entered { break }
        async let work: Void = body()
        await store.waitForWrites(count)
        leaving.signal()
        try await blocking
        try await work
    }

    @Test(arguments: [(PostgresWrites.maximumBatch, "1"), (PostgresWrites.maximumBatch + 1, "2")])
    func `writes that wait together are one transaction`(count: Int, transactions: String) async throws {
        let store = try PostgresStore.open(url)
        try await whileWriting(to: store, until: count) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...count { group.addTask { try await store.add(number) } }
                try await group.waitForAll()
            }
        }
        #expect(try server.execute("SELECT count(DISTINCT xmin::text) FROM things.thing", in: url) == transactions)
        #expect(try await store.lastChange().number == count)
    }

    @Test(arguments: [(0, "1"), (PostgresWrites.maximumBytes / 2, "1"), (PostgresWrites.maximumBytes, "2")])
    func `a write joins no transaction that sends much already`(bytes: Int, transactions: String) async throws {
        let store = try PostgresStore.open(url)
        try await whileWriting(to: store, until: 2) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...2 {
                    group.addTask {
                        try await store.write(bytes: bytes) { db in
                            try db.execute("INSERT INTO thing VALUES ($1)", .value(Int64(number)))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try server.execute("SELECT count(DISTINCT xmin::text) FROM things.thing", in: url) == transactions)
    }

    @Test func `a write whose caller gives it up before it begins has no effect`() async throws {
        let store = try PostgresStore.open(url)
        try await whileWriting(to: store, until: 2) {
            let given = Task { try await store.add(1) }
            await store.waitForWrites(1)
            given.cancel()
            try await store.add(2)
            await #expect(throws: CancellationError.self) { try await given.value }
        }
        #expect(try await store.numbers() == [2])
    }

    @Test func `a write that fails does not fail those beside it`() async throws {
        struct Refused: Error {}
        let store = try PostgresStore.open(url)
        let isExpected = { @Sendable (number: Int) in number % 7 != 0 && number % 11 != 0 }
        try await whileWriting(to: store, until: 60) {
            await withTaskGroup(of: Void.self) { group in
                for number in 1...60 {
                    group.addTask {
                        let isWritten: Bool
                        do {
                            try await store.write { db in
                                try db.execute("INSERT INTO thing VALUES ($1)", .value(Int64(number)))
                                if number % 7 == 0 { throw Refused() }
                                // Fails in the database.
                                if number % 11 == 0 {
                                    try db.execute("INSERT INTO thing VALUES ($1)", .value(Int64(number)))
                                }
                            }
                            isWritten = true
                        } catch {
                            isWritten = false
                        }
                        #expect(isWritten == isExpected(number))
                    }
                }
            }
        }
        #expect(try await store.numbers() == (1...60).filter(isExpected).map(Int64.init))
    }

    @Test func `writes of one kind that follow each other run once, and each has its own result`() async throws {
        struct Refused: Error {}
        let store = try PostgresStore.open(url)
        let runs = Mutex<[[Int]]>([])
        let squares = JoinedWrites<Int, Int> { numbers, db in
            runs.withLock { $0.append(numbers) }
            try db.execute("INSERT INTO thing SELECT * FROM unnest($1)", .array(numbers.map(Int64.init)))
            return numbers.map { number in Result { if number == 2 { throw Refused() } else { number * number } } }
        }
        let results = Watched<[Int: Int]>([:])
        try await whileWriting(to: store, until: 6) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...6 {
                    group.addTask {
                        if number == 4 { return try await store.add(number) }
                        let square = try? await store.write(number, with: squares)
                        results.withLock { $0[number] = square }
                    }
                    await store.waitForWrites(number)
                }
                try await group.waitForAll()
            }
        }
        #expect(runs.withLock(\.self) == [[1, 2, 3], [5, 6]])
        #expect(results.withLock { $0 } == [1: 1, 3: 9, 5: 25, 6: 36])
        #expect(try await store.numbers() == [1, 2, 3, 4, 5, 6])
    }

    @Test func `a write that fails does not fail those that run with it`() async throws {
        let store = try PostgresStore.open(url)
        try await store.add(2)
        let numbers = JoinedWrites<Int, Void> { numbers, db in
            try db.execute("INSERT INTO thing SELECT * FROM unnest($1)", .array(numbers.map(Int64.init)))
            return numbers.map { _ in .success(()) }
        }
        let written = Watched<[Int]>([])
        try await whileWriting(to: store, until: 3) {
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask {
                        guard (try? await store.write(number, with: numbers)) != nil else { return }
                        written.withLock { $0.append(number) }
                    }
                }
            }
        }
        #expect(written.withLock { $0.sorted() } == [1, 3])
        #expect(try await store.numbers() == [1, 2, 3])
    }

    // MARK: Cancelling

    @Test func `a cancelled read ends at once, and on the server`() async throws {
        let store = try PostgresStore.open(url, times: longTimes)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let read = Task {
            try await store.read { db in
                starting.yield()
                try db.execute("SELECT pg_sleep(3600)")
            }
        }
        for await _ in started { break }
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        try await eventually {
            try server.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()")
                == "0"
        }
        #expect(try await store.numbers() == [])
        #expect(store.health().map(\.status) == [.serving])
    }

    @Test func `a read that waits for a connection can be cancelled`() async throws {
        let store = try PostgresStore.open(url, times: longTimes)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0...PostgresStore.readers {
                group.addTask {
                    _ = try? await store.read { db in
                        starting.yield()
                        try db.execute("SELECT pg_sleep(3600)")
                    }
                }
            }
            var count = 0
            for await _ in started {
                count += 1
                if count == PostgresStore.readers { break }
            }
            group.cancelAll()
        }
        #expect(try await store.numbers() == [])
    }

    // MARK: Changes

    @Test func `a service is told of the writes of others`() async throws {
        let (store, other) = (try PostgresStore.open(url), try PostgresStore.open(url))
        let changes = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await store.run { changes.withLock { $0 += 1 } } }
            // It listens.
            await changes.wait { $0 == 1 }
            for number in 1...3 {
                try await other.add(number)
                await changes.wait { $0 == 1 + number }
            }
            group.cancelAll()
        }
    }

    @Test(arguments: [0, 1]) func `the log has the last 100,000 changes, and at most 64 more`(excess: Int) async throws
    {
        let store = try PostgresStore.open(url)
        try await store.add(0)
        let start = try await store.lastChange()
        // Trimmed when the number is a multiple of 64: at 100,032.
        let count = 100_031 + excess
        try server.execute(
            """
            INSERT INTO things.change SELECT n, decode('0001020304050607', 'hex'), '1', n FROM generate_series(2, \(count - 1)) AS n;
            UPDATE things.head SET number = \(count - 1), total = \(count - 1)
            """, in: url)
        try await store.add(1)
        let oldest = try server.execute("SELECT min(number) FROM things.change", in: url)
        #expect(oldest == (excess == 0 ? "0" : "33"))
        let news = try await store.news(after: start) { json throws(JSONError) in Step(try json.read(as: .integer())) }
        #expect(news?.content == (excess == 0 ? .change(Step(1)) : .reset))
    }

    /// The sizes of these changes are only what the table says.
    @Test(arguments: [0, 1]) func `the log has at most 64 MiB`(excess: Int)
        async throws
    {
        let store = try PostgresStore.open(url)
        try await store.add(0)
        let large = StoredChange.largeChange + 1
        // With the large one, all but the first have the size of the limit.
        let totals = [1, 2, 3, StoredChange.maximumBytes + 1 - large + excess]
        for (number, total) in totals.enumerated().dropFirst() {
            try server.execute("INSERT INTO things.change VALUES (\(number + 1), '01234567', '1', \(total))", in: url)
        }
        try server.execute("UPDATE things.head SET number = 4, total = \(totals[3])", in: url)
        let text = RawJSON(String(repeating: "x", count: large - 2), as: .string)
        try await store.write { try PostgresChanges.append(text, $0) }
        let oldest = try server.execute("SELECT min(number) FROM things.change", in: url)
        #expect(oldest == (excess == 0 ? "2" : "3"))
    }

    @Test func `an unknown mark gets a reset, whose mark is the end of the log`() async throws {
        let store = try PostgresStore.open(url)
        for number in 1...3 { try await store.add(number) }
        let end = try await store.lastChange()
        let unknown = [
            nil, ChangeMark(life: "other", number: 0), ChangeMark(life: end.life, number: 2),
            ChangeMark(life: end.life, number: 4),
            ChangeMark(life: end.life, number: -1), ChangeMark(life: end.life, number: .max),
            ChangeMark(life: "", number: .min),
        ]
        for mark in unknown {
            let news = try await store.news(after: mark) { json throws(JSONError) in Step(try json.read(as: .integer()))
            }
            #expect(news == ChangeNews(.reset, mark: end), "\(String(describing: mark))")
        }
    }
}

/// A change of the tests.
private struct Step: WatchedChange {
    let number: Int
    init(_ number: Int) { self.number = number }
    var weight: Int { 8 }
}

/// What callers and operators are told of databases that cannot be used, and that they work again without a restart.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct UnusableDatabaseTests {
    /// Expects that the store cannot be used, with one line in the log, until something has been changed.
    @discardableResult private func expect(
        _ line: String, at url: String, _ schema: PostgresSchema = things, times: PostgresConnection.Times = .init(),
        until mended: () throws -> Void
    ) async throws -> RecordedLog {
        let (log, clock) = (RecordedLog(), ManualClock())
        let store = try PostgresStore.open(url, schema, log: log, times: times, clock: clock)
        for _ in 1...3 { await #expect(throws: StoreError.unreachable) { try await store.add(1) } }
        #expect(log.lines.count == 1 && log.lines.first?.contains(line) == true, "\(log.lines)")
        #expect(log.lines.first?.hasPrefix("cannot use the database \(url): ") == true)
        let check = try #require(store.health().first)
        #expect(check.status == .degraded && check.detail?.contains(line) == true)
        try mended()
        // Only time has to pass.
        await #expect(throws: StoreError.unreachable) { try await store.add(1) }
        await clock.advance(by: ConnectingPace.longestPause)
        try await store.add(1)
        #expect(try await store.numbers().contains(1))
        #expect(store.health().first?.status == .serving)
        #expect(log.lines.last == "the database \(url) works again")
        return log
    }

    @Test func `a database that is missing`() async throws {
        let server = try PostgresServer.shared.get()
        let name = "late" + UUID().uuidString.prefix(8).lowercased()
        try await expect("database \"\(name)\" does not exist", at: server.url(name)) {
            try server.execute("CREATE DATABASE \(name)")
        }
    }

    @Test func `a server that does not run`() async throws {
        let server = try PostgresServer()
        let url = try server.newDatabase()
        try server.stop()
        try await expect("no connection", at: url) { try server.start() }
    }

    @Test func `a wrong password, which nobody logs, is corrected in its file`() async throws {
        let server = try PostgresServer()
        try server.execute("CREATE ROLE \(PostgresServer.userWithPassword) LOGIN SUPERUSER PASSWORD 'hunter2'")
        let user = PostgresServer.userWithPassword
        try await withTemporaryDirectory { directory in
            let file = directory + "/pgpass"
            let write = { (password: String) in
                let content = Data("*:*:*:\(user):\(password)".utf8)
                let isWritten = FileManager.default.createFile(
                    atPath: file, contents: content, attributes: [.posixPermissions: 0o600])
                #expect(isWritten)
            }
            write("hunter3")
            let url = server.url("postgres", user: user) + "&passfile=\(file)"
            let log = try await expect("password authentication failed", at: url) { write("hunter2") }
            #expect(log.lines.count == 2 && !log.lines.contains { $0.contains("hunter") })
        }
    }

    @Test(
        arguments: [
            ([:], ""), (["PGPASSWORD": ""], ""), (["PGPASSWORD": "hunter2"], "hunter2"),
            (["PGPASSWORD": "hunter2\n"], "hunter2"),
            (["PGPASSWORD": "hunter2\r\n"], "hunter2"), (["PGPASSWORD": " hunter\n2 "], " hunter\n2 "),
        ] as [([String: String], String)])
    func `a password of the environment has no end of line`(environment: [String: String], password: String) {
        #expect(PostgresConnection.password(in: environment) == password)
    }

    @Test func `a database without a free connection`() async throws {
        let server = try PostgresServer.shared.get()
        let (name, role) = try guest(of: server.newDatabase(), on: server)
        try server.execute("GRANT CREATE ON DATABASE \(name) TO \(role)")
        try server.execute("ALTER DATABASE \(name) CONNECTION LIMIT 0")
        try await expect("too many connections", at: server.url(name, user: role)) {
            try server.execute("ALTER DATABASE \(name) CONNECTION LIMIT 4")
        }
    }

    @Test func `a database that takes no more readers is out of use, whatever is written`() async throws {
        let server = try PostgresServer.shared.get()
        let (name, role) = try guest(of: server.newDatabase(), on: server)
        try server.execute("GRANT CREATE ON DATABASE \(name) TO \(role)")
        let (log, clock) = (RecordedLog(), ManualClock())
        let store = try PostgresStore.open(server.url(name, user: role), log: log, clock: clock)
        try await store.add(1)
        try server.execute("ALTER DATABASE \(name) CONNECTION LIMIT 0")
        await #expect(throws: StoreError.unreachable) { try await store.numbers() }
        try await store.add(2)
        #expect(store.health().first?.status == .degraded && store.health().first?.name == "store")
        #expect(log.lines.count == 1)
        try server.execute("ALTER DATABASE \(name) CONNECTION LIMIT 4")
        await clock.advance(by: ConnectingPace.longestPause)
        #expect(try await store.numbers() == [1, 2])
        #expect(store.health().map(\.status) == [.serving] && log.lines.count == 2)
    }

    @Test func `a full disk leaves a database readable`() async throws {
        let (log, server) = (RecordedLog(), try PostgresServer.shared.get())
        let store = try PostgresStore.open(server.newDatabase(), log: log)
        try await store.add(1)
        await #expect(throws: StoreError.full) {
            try await store.write { _ in throw PostgresError.refused(code: "53100", message: "no space left") }
        }
        #expect(store.health().map(\.name) == ["writes:store"])
        #expect(try await store.numbers() == [1])
        #expect(store.health().map(\.status) == [.degraded])
        try await store.add(2)
        #expect(store.health().map(\.status) == [.serving])
    }

    @Test func `a database that cannot be reached at the start is out of use`() async throws {
        let server = try PostgresServer()
        let url = try server.newDatabase()
        try server.stop()
        let (log, clock) = (RecordedLog(), ManualClock())
        let store = try PostgresStore.open(url, log: log, clock: clock)
        #expect(await !store.tryUsing())
        #expect(store.health().first?.name == "store" && store.health().first?.status == .degraded)
        // The same reason for both.
        #expect(log.lines.count == 1)
        try server.start()
        await clock.advance(by: ConnectingPace.longestPause)
        #expect(await store.tryUsing())
        #expect(store.health().map(\.status) == [.serving] && log.lines.count == 2)
    }

    /// - Returns: the name of the database, and that of a new user without rights.
    private func guest(of url: String, on server: PostgresServer) throws -> (database: String, role: String) {
        let role = "guest" + UUID().uuidString.prefix(8).lowercased()
        try server.execute("CREATE ROLE \(role) LOGIN")
        return (String(url.split(separator: "/")[2].prefix { $0 != "?" }), role)
    }

    @Test(arguments: ["thing (x text)", "migration (version text)"])
    func `a schema of another program`(table: String) async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase()
        try server.execute("CREATE SCHEMA things; CREATE TABLE things.\(table)", in: url)
        try await expect("its schema things belongs to another program", at: url) {
            try server.execute("DROP SCHEMA things CASCADE", in: url)
        }
    }

    @Test func `a schema of a newer version`() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase()
        try await PostgresStore.open(url).add(0)
        try server.execute("INSERT INTO things.migration VALUES (2, '3 of tomorrow')", in: url)
        try await expect("a newer version of this program has changed its schema things", at: url) {
            try server.execute("DELETE FROM things.migration WHERE number = 2", in: url)
        }
    }

    // MARK: Migrations

    private static let thingsAndNames = PostgresSchema(
        "things",
        steps: [
            "1 things": "CREATE TABLE thing (number bigint PRIMARY KEY)",
            "2 names": "CREATE TABLE name (text text NOT NULL)",
        ])

    @Test(arguments: [false, true])
    func `services that start together migrate a database once`(isOlder: Bool) async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase()
        if isOlder { try await PostgresStore.open(url).add(7) }
        let stores = try (1...3).map { _ in try PostgresStore.open(url, Self.thingsAndNames) }
        let work = await withTaskGroup { group in
            for store in stores { group.addTask { await store.tryUsing() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(work == [true, true, true])
        #expect(try server.execute("SELECT count(*) FROM things.migration", in: url).hasPrefix("3"))
        for store in stores { #expect(try await store.numbers() == (isOlder ? [7] : [])) }
    }

    @Test func `a migration that fails leaves the database as it was`() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase()
        let old = try PostgresStore.open(url)
        try await old.add(7)
        let broken = PostgresSchema(
            "things",
            steps: [
                "1 things": "CREATE TABLE thing (number bigint PRIMARY KEY)",
                "2 names": "CREATE TABLE name (text text); SELECT 1 / 0",
            ])
        let log = RecordedLog()
        #expect(try await !PostgresStore.open(url, broken, log: log).tryUsing())
        #expect(log.lines.count == 1 && log.lines.first?.contains("division by zero") == true)
        #expect(try server.execute("SELECT to_regclass('things.name') IS NULL", in: url).hasPrefix("t"))
        #expect(try await PostgresStore.open(url).numbers() == [7])
    }

    @Test func `a migration takes longer than the longest silence of a server`() async throws {
        let server = try PostgresServer.shared.get()
        var times = PostgresConnection.Times()
        times.silence = 1
        let slow = PostgresSchema(
            "things", steps: ["1 things": "SELECT pg_sleep(1.2); CREATE TABLE thing (number bigint)"])
        let store = try PostgresStore.open(server.newDatabase(), slow, times: times)
        #expect(await store.tryUsing())
        #expect(try await store.numbers() == [])
    }

    @Test func `a database whose tables another service changes is out of use meanwhile`() async throws {
        let server = try PostgresServer.shared.get()
        let (url, log, clock) = (try server.newDatabase(), RecordedLog(), ManualClock())
        let other = try PostgresConnection(#require(try DatabaseURL(url)), name: "other", times: .init())
        try other.run("SELECT pg_advisory_lock(hashtextextended('image-feed things', 0))")
        var times = PostgresConnection.Times()
        // How long it waits for the lock.
        times.statement = 1
        let store = try PostgresStore.open(url, log: log, times: times, clock: clock)
        #expect(await !store.tryUsing())
        #expect(store.health().first?.name == "store" && store.health().first?.status == .degraded)
        #expect(log.lines.count == 1 && log.lines.first?.contains("its tables are locked") == true)
        try other.run("SELECT pg_advisory_unlock_all()")
        await clock.advance(by: ConnectingPace.longestPause)
        #expect(await store.tryUsing())
        #expect(store.health().map(\.status) == [.serving])
    }

    @Test func `a user without rights`() async throws {
        let server = try PostgresServer.shared.get()
        let (name, role) = try guest(of: server.newDatabase(), on: server)
        try await expect(
            "the user lacks a right: permission denied for database", at: server.url(name, user: role)
        ) {
            try server.execute("GRANT CREATE ON DATABASE \(name) TO \(role)")
        }
    }

    @Test func `an encoding that is not UTF-8`() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase("ENCODING 'SQL_ASCII' TEMPLATE template0")
        let log = RecordedLog()
        let store = try PostgresStore.open(url, log: log)
        await #expect(throws: StoreError.unreachable) { try await store.add(1) }
        #expect(log.lines.first?.contains("its encoding is SQL_ASCII") == true)
    }

    @Test func `a read-only standby`() async throws {
        let server = try PostgresServer()
        let url = try server.newDatabase()
        try await PostgresStore.open(url).add(0)
        try server.setStandby(true)
        try await expect("it is a read-only standby", at: url) { try server.setStandby(false) }
    }

    @Test(arguments: [(129_999, true), (130_000, false), (90_624, true)])
    func `a server before version 13 is too old`(version: Int, isRefused: Bool) {
        #expect((DatabaseUnusable.refusal(ofVersion: version) != nil) == isRefused)
    }

    // MARK: While it is in use

    @Test func `a server that restarts`() async throws {
        let server = try PostgresServer()
        let (log, clock) = (RecordedLog(), ManualClock())
        let store = try PostgresStore.open(try server.newDatabase(), log: log, clock: clock)
        try await store.add(1)
        try server.stop()
        try server.start()
        // Not even one call fails.
        try await store.add(2)
        #expect(try await store.numbers() == [1, 2])
        #expect(log.lines == [])
        try server.stop()
        await #expect(throws: StoreError.unreachable) { try await store.add(3) }
        await #expect(throws: StoreError.unreachable) { try await store.numbers() }
        try server.start()
        await clock.advance(by: ConnectingPace.longestPause)
        try await store.add(3)
        #expect(try await store.numbers() == [1, 2, 3])
    }

    /// Two services write numbers, each its own, until all are acknowledged.
    @Test func `a promoted standby has every acknowledged write, once`() async throws {
        let primary = try PostgresServer()
        let url = try primary.newDatabase()
        let standby = try PostgresServer(standbyOf: primary)
        try primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.execute("SELECT pg_reload_conf()")
        try await eventually { try primary.execute("SELECT sync_state FROM pg_stat_replication") == "sync" }
        let both = "\(url),\(standby.directory)&target_session_attrs=read-write"
        let clock = ManualClock()
        let stores = try (1...2).map { _ in try PostgresStore.open(both, clock: clock) }
        let acknowledged = Watched<Set<Int>>([])
        let writing = Task {
            await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...400 {
                    group.addTask {
                        try await stores[number % 2].addRepeatedly(number, clock)
                        acknowledged.withLock { _ = $0.insert(number) }
                    }
                    // Some are acknowledged, some are under way, some come later.
                    await acknowledged.wait { number < $0.count + 20 }
                }
            }
        }
        await acknowledged.wait { $0.count >= 100 }
        try primary.stop()
        let before = acknowledged.withLock { $0 }
        try standby.setStandby(false)
        #expect(Set(try await stored(in: standby, url)).isSuperset(of: before))
        await clock.passing(inStepsOf: .seconds(10)) { await writing.value }
        #expect(acknowledged.withLock(\.count) == 400)
        #expect(try await stored(in: standby, url) == Array(1...400))
        #expect(try await stores[0].lastChange().number == 400)
    }

    private func stored(in server: PostgresServer, _ url: String) async throws -> [Int] {
        let database = try #require(url.firstMatch(of: /\/(test\d+)/)?.output.1)
        let url = server.url(String(database))
        return try server.execute("SELECT number FROM things.thing ORDER BY number", in: url)
            .split(separator: "\n").compactMap { Int($0) }
    }

    @Test func `a server that hangs`() async throws {
        let server = try PostgresServer()
        let store = try PostgresStore.open(try server.newDatabase(), times: shortTimes)
        try await store.add(1)
        #expect(try await store.numbers() == [1])
        try server.suspend()
        await #expect(throws: StoreError.unreachable) { try await store.numbers() }
        await #expect(throws: StoreError.unreachable) { try await store.add(2) }
        try server.resume()
        try await eventually { await store.tryUsing() }
        #expect(try await store.numbers().first == 1)
        #expect(store.health().first?.status == .serving)
    }

    @Test func `a cancelled read of a server that hangs ends at once`() async throws {
        let server = try PostgresServer()
        let store = try PostgresStore.open(try server.newDatabase(), times: longTimes)
        #expect(try await store.numbers() == [])
        try server.suspend()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let read = Task {
            try await store.read { db in
                starting.yield()
                try db.execute("SELECT pg_sleep(0)")
            }
        }
        for await _ in started { break }
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        try server.resume()
        #expect(try await store.numbers() == [])
    }

    @Test func `a schema that an operator has dropped is made again`() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.newDatabase()
        let store = try PostgresStore.open(url)
        try await store.add(1)
        try server.execute("DROP SCHEMA things CASCADE", in: url)
        await #expect(throws: StoreError.unreachable) { try await store.add(2) }
        try await store.add(3)
        #expect(try await store.numbers() == [3])
        #expect(store.health().map(\.status) == [.serving])
    }

    @Test(arguments: [1, 6]) func `connections that fail together have failed once`(count: Int) {
        var pace = ConnectingPace()
        let start = NIODeadline.uptimeNanoseconds(1)
        for _ in 0..<count { pace.note(.silent, at: start) }
        #expect(pace.failure(at: start + ConnectingPace.firstPause - .nanoseconds(1)) == .silent)
        #expect(pace.failure(at: start + ConnectingPace.firstPause) == nil)
        pace.note(.silent, at: start + ConnectingPace.firstPause)
        #expect(pace.failure(at: start + ConnectingPace.firstPause * 3 - .nanoseconds(1)) == .silent)
        #expect(pace.failure(at: start + ConnectingPace.firstPause * 3) == nil)
    }

    @Test func `in the background a store notices that its server ended, and that it works again`() async throws {
        let server = try PostgresServer()
        let (log, clock) = (RecordedLog(), ManualClock())
        let store = try PostgresStore.open(try server.newDatabase(), log: log, clock: clock)
        let changes = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await store.run { changes.withLock { $0 += 1 } } }
            await changes.wait { $0 == 1 }
            try server.stop()
            await log.wait { $0.contains("cannot use the database") }
            #expect(store.health().first?.status == .degraded)
            try server.start()
            await clock.passing(inStepsOf: .seconds(10)) {
                await log.wait { $0.contains("works again") }
                // It listens again, and looks for what it has missed.
                await changes.wait { $0 == 2 }
            }
            #expect(store.health().first?.status == .serving)
            group.cancelAll()
        }
    }
}
