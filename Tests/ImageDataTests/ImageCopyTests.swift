import Foundation
import ImageData
import RPCTestKit
import ServiceKit
import Testing

@testable import image_data_service

/// Copies between every two kinds of stores.
@Suite struct ImageCopyTests {
    typealias Factory = StoreFactory<any CopiedImageStore>

    private static let files = Factory("SQLite") {
        SQLiteImageStore(try SQLiteImageStore.opening.open($0 + "/image-data.sqlite"))
    }
    private static let kinds = [files] + Factory.inDatabases { PostgresImageStore(try .database($0)) }

    @Test(arguments: kinds, kinds) func `a copy has every image`(from: Factory, to: Factory) async throws {
        try await from.withStore { source in
            try await to.withStore { target in
                try await source.put(stored(1, at: 5), at: url(1))
                try await source.put(stored(2, at: 6), at: url(2))
                // The same bytes have two URLs.
                try await source.put(stored(1, at: 7), at: url(3))
                #expect(try await ImageCopy(source: source, target: target).run().count == 3)
                for number in 1...3 {
                    let (copied, wanted) = (
                        try await target.image(at: url(number)), try await source.image(at: url(number))
                    )
                    #expect(copied == wanted && wanted != nil)
                }
                #expect(try await target.bytes() == 2 * pictureSize)
            }
        }
    }

    @Test(arguments: kinds, [0, 1, StoreCopyLimits.entriesAtOnce, StoreCopyLimits.entriesAtOnce + 1])
    func `a copy is continued`(kind: Factory, count: Int) async throws {
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                for number in 0..<count { try await source.put(stored(number), at: url(number)) }
                for number in stride(from: 0, to: count, by: 3) {
                    try await target.put(stored(number), at: url(number))
                }
                #expect(try await ImageCopy(source: source, target: target).run().count == count)
                let urls = (0..<count).map(url)
                #expect(try await target.records(at: urls).count == count)
            }
        }
    }

    @Test(arguments: kinds) func `other bytes at the same URL are not overwritten`(kind: Factory) async throws {
        try await Self.files.withStore { source in
            try await kind.withStore { target in
                try await source.put(stored(1), at: url(1))
                try await target.put(stored(2), at: url(1))
                await #expect(throws: StoreCopyRefusal.other(url: url(1))) {
                    try await ImageCopy(source: source, target: target).run()
                }
                #expect(try await target.image(at: url(1)) == stored(2))
            }
        }
    }
}
