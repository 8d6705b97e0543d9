import Foundation
import GRDB
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit

/// Backing up a store and restoring it.
@Suite struct StoreCopyTests {
    private struct Place {
        let directory: String

        var root: Root { Root(directory + "/root") }
        var store: String { root.store("thing") }
        var copy: String { directory + "/copy.sqlite" }

        func opening(versions: Int = 1, in root: Root? = nil) -> StoreOpening {
            let steps = (1...versions).map { ("\($0)", "CREATE TABLE thing\($0) (x)") }
            var migrator = DatabaseMigrator()
            for (name, sql) in steps { migrator.registerMigration(name) { try $0.execute(sql: sql) } }
            return StoreOpening(applicationID: "TEST", migrator: migrator).listed(in: root ?? self.root)
        }

        func write(_ number: Int, versions: Int = 1) async throws {
            let pool = try opening(versions: versions).open(store)
            try await pool.write { try $0.execute(sql: "INSERT INTO thing1 VALUES (?)", arguments: [number]) }
            try opening().close(pool)
        }

        func numbers(_ path: String, versions: Int = 1) async throws -> [Int] {
            let pool = try opening(versions: versions, in: Root(directory + "/none")).open(path)
            defer { try? pool.close() }
            return try await pool.read { try Int.fetchAll($0, sql: "SELECT x FROM thing1 ORDER BY x") }
        }

        /// The files beside the store.
        func files() throws -> [String] {
            let folder = (store as NSString).deletingLastPathComponent
            guard FileManager.default.fileExists(atPath: folder) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        }
    }

    private func withPlace(_ body: (Place) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(Place(directory: $0)) }
    }

    private func expectFailure(
        _ exitCode: Int32, _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let failure = #expect(throws: StoreCopyFailure.self, sourceLocation: sourceLocation) { try body() }
        #expect(failure?.exitCode == exitCode, "\(String(describing: failure))", sourceLocation: sourceLocation)
        #expect(
            failure?.description.contains(text) == true, "\(String(describing: failure))",
            sourceLocation: sourceLocation)
    }

    // MARK: Backing up

    @Test func `a copy is one moment of a store that is written meanwhile`() async throws {
        try await withPlace { place in
            let pool = try place.opening().open(place.store)
            let (writes, written) = AsyncStream.makeStream(of: Int.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        try await pool.write { [number] db in
                            for x in [number, -number] {
                                try db.execute(sql: "INSERT INTO thing1 VALUES (?)", arguments: [x])
                            }
                        }
                        written.yield(number)
                    }
                }
                for await number in writes where number.isMultiple(of: 20) {
                    let copy = "\(place.copy)\(number)"
                    #expect(try place.opening().backUp(place.store, to: copy))
                    let numbers = try await place.numbers(copy)
                    let last = try #require(numbers.last)
                    #expect(last >= number && numbers == Array(-last ... -1) + Array(1...last))
                    if number == 100 { break }
                }
                group.cancelAll()
            }
            try pool.close()
        }
    }

    @Test func `a copy is one private file`() async throws {
        try await withPlace { place in
            let pool = try place.opening().open(place.store)
            try await pool.write { try $0.execute(sql: "INSERT INTO thing1 VALUES (7)") }
            // The write is in the journal only.
            #expect(try place.opening().backUp(place.store, to: place.copy))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: place.directory).sorted() == [
                    "copy.sqlite", "root",
                ])
            #expect(try FileManager.default.attributesOfItem(atPath: place.copy)[.posixPermissions] as? Int == 0o600)
            #expect(try await place.numbers(place.copy) == [7])
            expectFailure(EX_CANTCREAT, "already") { _ = try place.opening().backUp(place.store, to: place.copy) }
            try pool.close()
        }
    }

    @Test func `a damaged store is not copied`() async throws {
        try await withPlace { place in
            let pool = try place.opening().open(place.store)
            try await pool.write { db in
                for number in 1...2_000 { try db.execute(sql: "INSERT INTO thing1 VALUES (?)", arguments: [number]) }
            }
            try place.opening().close(pool)
            let file = try FileHandle(forUpdating: URL(filePath: place.store))
            try file.seek(toOffset: try file.seekToEnd() - 2_048)
            try file.write(contentsOf: Data(repeating: 0xFF, count: 2_048))
            try file.close()
            expectFailure(EX_DATAERR, "is damaged") { _ = try place.opening().backUp(place.store, to: place.copy) }
            #expect(!FileManager.default.fileExists(atPath: place.copy))
        }
    }

    @Test func `a service that never had a store has no copy, and one whose store is missing fails`() async throws {
        try await withPlace { place in
            #expect(try place.opening().backUp(place.store, to: place.copy) == false)
            #expect(!FileManager.default.fileExists(atPath: place.copy))
            try await place.write(1)
            try FileManager.default.removeItem(atPath: place.store)
            expectFailure(EX_NOINPUT, "missing") { _ = try place.opening().backUp(place.store, to: place.copy) }
        }
    }

    // MARK: Restoring

    @Test func `a restored store has the content and another identity`() async throws {
        try await withPlace { place in
            try await place.write(7)
            #expect(try place.opening().backUp(place.store, to: place.copy))
            let other = Root(place.directory + "/other")
            let path = other.store("thing")
            try place.opening(in: other).restore(place.copy, to: path)
            let pool = try place.opening(in: other).open(path)
            #expect(try await pool.read { try Int.fetchAll($0, sql: "SELECT x FROM thing1") } == [7])
            #expect(
                try await pool.read(StoreIdentity.find) != DatabaseQueue(path: place.store).read(StoreIdentity.find))
            try place.opening(in: other).close(pool)
            // The former store is not mistaken for it.
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: place.store, toPath: path)
            #expect(throws: StoreUnusable(path: path, reason: .exchanged)) { try place.opening(in: other).open(path) }
        }
    }

    @Test func `a copy of an earlier version is migrated by the next start`() async throws {
        try await withPlace { place in
            try await place.write(7)
            #expect(try place.opening().backUp(place.store, to: place.copy))
            let other = Root(place.directory + "/other")
            try place.opening(versions: 3, in: other).restore(place.copy, to: other.store("thing"))
            let pool = try place.opening(versions: 3, in: other).open(other.store("thing"))
            #expect(try await pool.read { try $0.tableExists("thing3") })
            try pool.close()
        }
    }

    @Test func `a copy of a later version, of another program, or with damage is refused and leaves nothing`()
        async throws
    {
        try await withPlace { place in
            try await place.write(7, versions: 2)
            #expect(try place.opening(versions: 2).backUp(place.store, to: place.copy))
            let (other, foreign) = (Root(place.directory + "/other"), place.directory + "/foreign.sqlite")
            let path = other.store("thing")
            func restore(_ copy: String) throws { try place.opening(in: other).restore(copy, to: path) }
            expectFailure(EX_DATAERR, "newer version") { try restore(place.copy) }
            try await DatabaseQueue(path: foreign).write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
            expectFailure(EX_DATAERR, "another program") { try restore(foreign) }
            try Data(repeating: 7, count: 8_192).write(to: URL(filePath: foreign))
            expectFailure(EX_DATAERR, "is damaged") { try restore(foreign) }
            try Data().write(to: URL(filePath: foreign))
            expectFailure(EX_DATAERR, "empty") { try restore(foreign) }
            expectFailure(EX_NOINPUT, "there is no file") { try restore(place.directory + "/missing") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: other.path + "/data") == [])
        }
    }

    @Test(arguments: ["", "-wal"]) func `a place that is not empty stays as it is`(suffix: String) async throws {
        try await withPlace { place in
            try await place.write(7)
            #expect(try place.opening().backUp(place.store, to: place.copy))
            try FileManager.default.removeItem(atPath: place.store)
            try Data("theirs".utf8).write(to: URL(filePath: place.store + suffix))
            let before = try place.files()
            expectFailure(EX_CANTCREAT, "already") { try place.opening().restore(place.copy, to: place.store) }
            #expect(try place.files() == before)
            #expect(FileManager.default.contents(atPath: place.store + suffix) == Data("theirs".utf8))
        }
    }
}
