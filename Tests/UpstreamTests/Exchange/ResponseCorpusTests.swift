import Foundation
import RPCTestKit
import Testing

/// What deploy/fuzz begins with, and what it found before, without a fuzzer.
struct ResponseCorpusTests {
    @Test func `everything in the corpus holds`() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fuzzing/Corpus/response").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        try await apart {
            for file in files {
                let bytes = [UInt8](try Data(contentsOf: file))
                #expect(throws: Never.self, "\(file.lastPathComponent)") { try ResponseFuzz.run(bytes) }
            }
        }
    }
}
