import Foundation
import GRDB
import ImageData
import RPCTestKit
import Testing

@testable import image_data_service

/// Tests of the SQLite store only.
@Suite struct SQLiteImageStoreTests {
    @Test func `a flipped byte is detected, and putting the bytes again repairs it`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/image-data.sqlite"
            let pool = try SQLiteImageStore.opening.open(path)
            try await SQLiteImageStore(pool).put(stored(1), at: url(1))
            try await SQLiteImageStore(pool).put(stored(1), at: url(2))
            try pool.closeIntoOneFile()
            try flipByte(of: picture(1), in: path)

            let store = SQLiteImageStore(try SQLiteImageStore.opening.open(path))
            for url in [url(1), url(2)] {
                await #expect(throws: ImageStoreError.damaged(url: url)) { try await store.image(at: url) }
            }
            #expect(try await store.record(at: url(1)) == stored(1).record)

            try await store.put(stored(1), at: url(1))
            for url in [url(1), url(2)] {
                #expect(try await store.image(at: url) == stored(1))
            }
        }
    }

    @Test func `a change of any byte is detected`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteImageStore.opening.open(directory + "/image-data.sqlite")
            let store = SQLiteImageStore(pool)
            try await store.put(stored(1), at: url(1))
            for index in 0..<pictureSize {
                var bytes = picture(1)
                bytes[index] ^= 0x10
                try await pool.write { [bytes] in
                    try $0.execute(sql: "UPDATE content SET data = ?", arguments: [bytes])
                }
                await #expect(throws: ImageStoreError.damaged(url: url(1))) { try await store.image(at: url(1)) }
            }
        }
    }

    @Test(arguments: [
        "UPDATE content SET size = size - 1", "UPDATE content SET crc32 = 4294967296", "UPDATE content SET crc32 = -1",
        "UPDATE content SET sha256 = x'00'", "UPDATE content SET content_type = ''", "UPDATE content SET data = x''",
        "UPDATE url SET url = ''", "UPDATE url SET content = 7", "DELETE FROM content",
    ])
    func `the schema rejects invalid rows`(statement: String) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteImageStore.opening.open(directory + "/image-data.sqlite")
            try await SQLiteImageStore(pool).put(stored(1), at: url(1))
            await #expect(throws: DatabaseError.self) { try await pool.write { try $0.execute(sql: statement) } }
        }
    }

    /// Flips a bit in the middle of `content` in the file.
    private func flipByte(of content: Data, in path: String) throws {
        var file = try Data(contentsOf: URL(filePath: path))
        let place = try #require(file.range(of: content))
        file[place.lowerBound + content.count / 2] ^= 1
        try file.write(to: URL(filePath: path))
    }
}
