import Foundation
import GRDB
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit

/// Verifying a store, and repairing it.
@Suite struct VerifiedStoreTests {
    private static func opening(isCache: Bool) -> StoreOpening {
        let migrator = DatabaseMigrator(steps: [
            "1": """
            CREATE TABLE thing (id INTEGER PRIMARY KEY, x TEXT NOT NULL);
            CREATE TABLE part (thing INTEGER NOT NULL REFERENCES thing (id));
            """
        ])
        return StoreOpening(applicationID: "TEST", migrator: migrator, isCache: isCache)
    }

    private func withStore(isCache: Bool, _ body: (String, VerifiedStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let opening = Self.opening(isCache: isCache).listed(in: Root(directory))
            let path = directory + "/data/store.sqlite"
            let pool = try opening.open(path)
            try await pool.write { db in
                for number in 1...1_000 {
                    try db.execute(sql: "INSERT INTO thing VALUES (?, 'text')", arguments: [number])
                }
            }
            try opening.close(pool)
            try await body(path, VerifiedStore(opening, at: path))
        }
    }

    private func faults(_ store: VerifiedStore, isRepair: Bool = false) throws -> [StoreFinding.Fault] {
        var faults: [StoreFinding.Fault] = []
        try store.verify(isRepair: isRepair, now: Date(timeIntervalSince1970: 0)) { finding in
            if case .fault(let fault) = finding { faults.append(fault) }
        }
        return faults
    }

    private func damage(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: try file.seekToEnd() - 2_048)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 2_048))
        try file.close()
    }

    @Test func `a store without a fault has none, also before it is written`() async throws {
        try await withStore(isCache: false) { path, store in
            let none = VerifiedStore(Self.opening(isCache: false), at: path + ".none")
            let found = try faults(store) + faults(store, isRepair: true) + faults(none)
            #expect(found.isEmpty)
        }
    }

    @Test func `a row that names a missing one is a fault`() async throws {
        try await withStore(isCache: false) { path, store in
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            try await DatabaseQueue(path: path, configuration: configuration).write {
                try $0.execute(sql: "INSERT INTO part VALUES (5000)")
            }
            let reasons = try faults(store).map(\.reason)
            #expect(reasons.count == 1 && reasons.first?.contains("part") == true, "\(reasons)")
        }
    }

    @Test func `a damaged store of an authority stays`() async throws {
        try await withStore(isCache: false) { path, store in
            try damage(path)
            for isRepair in [false, true] {
                let found = try faults(store, isRepair: isRepair)
                #expect(!found.isEmpty && found.allSatisfy { $0.repair == nil && $0.store == path }, "\(found)")
                #expect(FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func `a damaged cache is renamed on repair only`() async throws {
        try await withStore(isCache: true) { path, store in
            try damage(path)
            let found = try faults(store)
            #expect(!found.isEmpty && found.allSatisfy { $0.repair == nil })
            #expect(FileManager.default.fileExists(atPath: path))
            let repair = try #require(try faults(store, isRepair: true).first?.repair)
            #expect(repair.hasPrefix("renamed to \(path).corrupt-19700101T000000Z"))
            #expect(!FileManager.default.fileExists(atPath: path))
            // Its service makes a new one.
            let left = try faults(store)
            #expect(left.isEmpty)
        }
    }

    @Test func `a missing store is a fault`() async throws {
        try await withStore(isCache: false) { path, store in
            try FileManager.default.removeItem(atPath: path)
            let reasons = try faults(store).map(\.reason)
            #expect(reasons.first?.contains("missing") == true)
        }
    }
}
