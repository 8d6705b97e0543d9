import Foundation
import RPCTestKit

/// A process of `wild.py`: a plugin with a method for each fault.
struct WildPlugin {
    let process: RunningProgram

    /// The methods that send without an end.
    static let floods = ["flood", "items", "notify", "grants", "stops", "empty", "aborts"]

    /// All methods that are wrong.
    static let faults = floods + ["twice", "nothing", "binary", "large", "own_error", "no_json", "die"]

    /// Starts it, and waits until it listens.
    static func start(_ name: String, at socket: String) async throws -> WildPlugin {
        let process = try Program(path: "/usr/bin/env").start(
            ["python3", Program.repository + "/Tests/GatewayTests/Plugins/Wild/wild.py", socket, name], errors: nil)
        guard await process.errors.wait(for: "serving") else { throw NotStarted(errors: process.errors.text) }
        return WildPlugin(process: process)
    }

    struct NotStarted: Error {
        let errors: String
    }

    /// Kills it, also while it is stopped.
    func kill() async {
        process.send(SIGKILL)
        _ = await process.ended()
    }
}
