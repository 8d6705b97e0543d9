import Foundation
import RPCTestKit
import Testing

/// Texts as people see them, in files. After a change, run the tests with `UPDATE_GOLDEN=1`, and look at the difference.
enum Golden {
    private static let folder = Program.repository + "/Tests/GatewayTests/CLI/Golden"

    static func expect(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let path = "\(folder)/\(name).txt"
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text, sourceLocation: sourceLocation)
    }
}
