import Foundation
import GRDB
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit

/// A deployment lists its stores separately from their files.
@Suite struct ListedStoreTests {
    private static func plain(_ applicationID: String = "TEST", isCache: Bool = false) -> StoreOpening {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE thing (x)") }
        return StoreOpening(applicationID: applicationID, migrator: migrator, isCache: isCache)
    }

    /// A deployment with one store that has data.
    private struct Place {
        let root: String
        var path: String
        var opening: StoreOpening

        init(_ root: String, _ path: String? = nil, isCache: Bool = false, isNew: Bool = false) throws {
            self.root = root
            self.path = path ?? root + "/data/store.sqlite"
            opening = ListedStoreTests.plain(isCache: isCache).listed(in: Root(root), isNew: isNew)
        }

        func use(_ value: Int = 7) async throws {
            let pool = try opening.open(path)
            try await pool.write { try $0.execute(sql: "INSERT INTO thing VALUES (?)", arguments: [value]) }
            try opening.close(pool)
        }

        /// The values in the store.
        func values() throws -> [Int] {
            let pool = try opening.open(path)
            let values = try pool.read { try Int.fetchAll($0, sql: "SELECT x FROM thing") }
            try opening.close(pool)
            return values
        }

        func replacing() throws -> (values: [Int], reports: [String]) {
            var reports: [String] = []
            let pool = try opening.openReplacing(path, now: Date()) { reports.append($0) }
            defer { try? opening.close(pool) }
            return (try pool.read { try Int.fetchAll($0, sql: "SELECT x FROM thing") }, reports)
        }

        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
        }
    }

    /// A change of a store's file while no process has it open.
    enum Fate: CaseIterable {
        case missing, directoryMissing, empty, noTables, anotherProgram, exchanged, garbage, directory

        var reason: StoreUnusable.Reason {
            switch self {
            case .missing, .directoryMissing: .missing
            case .empty, .noTables: .empty
            case .anotherProgram: .foreign
            case .exchanged: .exchanged
            case .garbage: .notADatabase
            case .directory: .directory
            }
        }

        func happen(to path: String) throws {
            let manager = FileManager.default
            try manager.removeItem(
                atPath: self == .directoryMissing ? (path as NSString).deletingLastPathComponent : path)
            switch self {
            case .missing, .directoryMissing: break
            case .empty: try Data().write(to: URL(filePath: path))
            case .noTables:
                try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: "PRAGMA application_id = 0; VACUUM") }
            case .anotherProgram: try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE diary (x)") }
            case .exchanged: try ListedStoreTests.plain().open(path).close()
            case .garbage: try Data(repeating: 0x2E, count: 8_192).write(to: URL(filePath: path))
            case .directory:
                try manager.createDirectory(atPath: path + "/more", withIntermediateDirectories: true)
            }
        }
    }

    @Test(arguments: Fate.allCases) func `an authority's lost store is refused at every start`(
        fate: Fate
    ) async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try await place.use()
            try fate.happen(to: place.path)
            for _ in 1...2 {
                let error = #expect(throws: StoreUnusable.self) { try place.opening.open(place.path) }
                #expect(error?.reason == fate.reason)
                #expect(error?.description.contains(place.path) == true && error?.description.contains("; ") == true)
                #expect(error?.description.contains("\n") == false)
            }
            let isThere = FileManager.default.fileExists(atPath: place.path)
            #expect(isThere == (fate.reason != .missing))
        }
    }

    @Test(arguments: Fate.allCases) func `a lost cache is renamed, and an empty one replaces it`(
        fate: Fate
    ) async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root, isCache: true)
            try await place.use()
            try fate.happen(to: place.path)
            let (values, reports) = try place.replacing()
            #expect(values == [] && reports.count == 1 && reports[0].contains(place.path))
            #expect(
                try place.files().count { $0.contains(".corrupt-") && $0.hasSuffix("Z") }
                    == (fate.reason == .missing ? 0 : 1))
            // Only once.
            try await place.use()
            let second = try place.replacing()
            #expect(second.values == [7] && second.reports == [])
        }
    }

    @Test(arguments: Fate.allCases) func `the operator can ask for a new store`(fate: Fate) async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try await place.use()
            try fate.happen(to: place.path)
            #expect(try Place(root, isNew: true).replacing().values == [])
            #expect(try place.values() == [])
        }
    }

    @Test func `a store that works is used even if a new store is intended`() async throws {
        try await withTemporaryDirectory { root in
            try await Place(root).use()
            let (values, reports) = try Place(root, isNew: true).replacing()
            #expect(values == [7] && reports == [])
        }
    }

    @Test func `the abandoned store is not accepted in place of the new one`() async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try await place.use()
            let old = root + "/old.sqlite"
            try FileManager.default.moveItem(atPath: place.path, toPath: old)
            _ = try Place(root, isNew: true).replacing()
            try FileManager.default.removeItem(atPath: place.path)
            try FileManager.default.moveItem(atPath: old, toPath: place.path)
            #expect(throws: StoreUnusable(path: place.path, reason: .exchanged)) { try place.opening.open(place.path) }
        }
    }

    @Test(arguments: [false, true]) func `a directory in place of an unlisted store is renamed if it is empty`(
        isEmpty: Bool
    ) async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root, isCache: true)
            try FileManager.default.createDirectory(
                atPath: place.path + (isEmpty ? "" : "/more"), withIntermediateDirectories: true)
            if isEmpty {
                let (values, reports) = try place.replacing()
                #expect(values == [] && reports.count == 1 && reports[0].contains("directory"))
                #expect(try place.files().count { $0.contains(".corrupt-") } == 1)
            } else {
                #expect(throws: StoreUnusable(path: place.path, reason: .directory)) { try place.replacing() }
                #expect(try place.files() == ["store.sqlite"])
            }
        }
    }

    // MARK: Copies and earlier versions

    @Test func `a copy of the store is accepted as the store`() async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try await place.use()
            let copy = root + "/copy.sqlite"
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            try await place.use(8)
            try FileManager.default.removeItem(atPath: place.path)
            try FileManager.default.copyItem(atPath: copy, toPath: place.path)
            #expect(try place.values() == [7])
        }
    }

    @Test func `a store of an earlier version is listed, and its later loss is detected`() async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try await earlier(place.path)
            #expect(try place.values() == [7])
            let copy = root + "/copy.sqlite"
            try FileManager.default.moveItem(atPath: place.path, toPath: copy)
            #expect(throws: StoreUnusable(path: place.path, reason: .missing)) { try place.opening.open(place.path) }
            // A copy from before the upgrade.
            try await earlier(place.path)
            #expect(try place.values() == [7])
        }
    }

    /// Makes a store as versions before the list did.
    private func earlier(_ path: String) async throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let pool = try Self.plain().open(path)
        try await pool.write { try $0.execute(sql: "DROP TABLE store_identity; INSERT INTO thing VALUES (7)") }
        try pool.closeIntoOneFile()
    }

    @Test(arguments: [false, true]) func `a file of another program is not touched`(isCache: Bool) async throws {
        try await withTemporaryDirectory { root in
            let diary = root + "/diary.sqlite"
            try DatabaseQueue(path: diary).write { try $0.execute(sql: "CREATE TABLE diary (day)") }
            let before = try Data(contentsOf: URL(filePath: diary))
            let place = try Place(root, diary, isCache: isCache, isNew: true)
            #expect(throws: StoreUnusable(path: diary, reason: .foreign)) { try place.replacing() }
            #expect(try Data(contentsOf: URL(filePath: diary)) == before)
        }
    }

    @Test func `an edge does not rename the authority's store`() async throws {
        try await withTemporaryDirectory { root in
            try await Place(root).use()
            var place = try Place(root)
            place.opening = Self.plain("ELSE", isCache: true).listed(in: Root(root))
            #expect(throws: StoreUnusable(path: place.path, reason: .foreign)) { try place.replacing() }
            #expect(try Place(root).values() == [7])
        }
    }

    // MARK: Killed at the wrong moment

    @Test func `a store that was created but not yet listed is listed`() async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try FileManager.default.createDirectory(atPath: root + "/data", withIntermediateDirectories: true)
            // Killed after creating the file, and after creating the store.
            try Data().write(to: URL(filePath: place.path))
            try await place.use()
            try FileManager.default.removeItem(atPath: root + "/stores")
            #expect(try place.values() == [7])
            #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/stores").count == 1)
        }
    }

    @Test func `a store that another program has looked into after a kill is as before`() async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            try await killed(place)
            // As sqlite3 does: writes the journal into the file and removes it.
            let other = try DatabaseQueue(path: place.path)
            #expect(try await other.read { try Int.fetchAll($0, sql: "SELECT * FROM thing") } == [8])
            try other.close()
            #expect(!FileManager.default.fileExists(atPath: place.path + "-wal"))
            #expect(try place.values() == [8])
        }
    }

    @Test func `a copy that is restored after a kill needs no journal`() async throws {
        try await withTemporaryDirectory { root in
            let place = try Place(root)
            let copy = root + "/copy.sqlite"
            try await place.use()
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            try await killed(place)
            try FileManager.default.moveItem(atPath: place.path, toPath: root + "/broken.sqlite")
            try FileManager.default.removeItem(atPath: place.path + "-wal")
            try FileManager.default.copyItem(atPath: copy, toPath: place.path)
            #expect(try place.values() == [7])
        }
    }

    /// Leaves the files as after a kill of a service that has written.
    private func killed(_ place: Place) async throws {
        let away = place.root + "/away"
        try FileManager.default.createDirectory(atPath: away, withIntermediateDirectories: true)
        let pool = try place.opening.open(place.path)
        try await pool.write { try $0.execute(sql: "INSERT INTO thing VALUES (8)") }
        // SQLite does not touch the journal of a moved file.
        try FileManager.default.moveItem(atPath: place.path, toPath: away + "/store.sqlite")
        try pool.closeIntoOneFile()
        try FileManager.default.moveItem(atPath: away + "/store.sqlite", toPath: place.path)
        #expect(FileManager.default.fileExists(atPath: place.path + "-wal"))
    }

    // MARK: Places

    @Test func `a store outside of the root is listed as well`() async throws {
        try await withTemporaryDirectory { root in
            try await withTemporaryDirectory { elsewhere in
                let place = try Place(root, elsewhere + "/s/" + String(repeating: "x", count: 240))
                try await place.use()
                try FileManager.default.removeItem(atPath: place.path)
                // The same path in another spelling.
                let other = try Place(root, elsewhere + "/./s/../s/" + String(repeating: "x", count: 240))
                #expect(throws: StoreUnusable(path: other.path, reason: .missing)) {
                    try other.opening.open(other.path)
                }
                // Another file is another store.
                try await Place(root, elsewhere + "/s/y").use()
            }
        }
    }

    @Test func `a root can be moved`() async throws {
        try await withTemporaryDirectory { directory in
            try await Place(directory + "/a").use()
            try FileManager.default.moveItem(atPath: directory + "/a", toPath: directory + "/b")
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/c", withDestinationPath: directory + "/b")
            #expect(try Place(directory + "/c").values() == [7])
            try FileManager.default.removeItem(atPath: directory + "/b/data/store.sqlite")
            for name in ["b", "c"] {
                let place = try Place(directory + "/" + name)
                #expect(throws: StoreUnusable(path: place.path, reason: .missing)) {
                    try place.opening.open(place.path)
                }
            }
        }
    }

    @Test func `an unreadable list is reported, and replaced if a new store is intended`() async throws {
        try await withTemporaryDirectory { root in
            try await Place(root).use()
            let name = try #require(FileManager.default.contentsOfDirectory(atPath: root + "/stores").first)
            try Data().write(to: URL(filePath: "\(root)/stores/\(name)"))
            let error = #expect(throws: StoreUnusable.self) { try Place(root).values() }
            #expect(error?.description.contains("\(root)/stores/\(name)") == true)
            #expect(try Place(root, isNew: true).values() == [7])
            #expect(try Place(root).values() == [7])
        }
    }
}
