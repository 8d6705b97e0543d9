import Foundation
import RPCTestKit
import Testing

/// Runs the corpus of Tests/Fuzzing/fuzz, with all earlier findings, without a fuzzer.
struct ResponseCorpusTests {
    @Test func `the invariants hold for every input of the corpus`() async throws {
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
