import Foundation
import RPCTestKit
import Testing

/// Replays the corpus of Tests/Fuzzing/fuzz and its earlier findings, without a fuzzer.
struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases) func `everything in the corpus holds`(target: FuzzTarget) async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fuzzing/Corpus/\(target.rawValue)").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        try await apart {
            for file in files {
                let bytes = [UInt8](try Data(contentsOf: file))
                #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(bytes) }
            }
        }
    }
}
