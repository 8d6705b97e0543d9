/// A program on which the product does not depend: a benchmark builds it when needed. If the build fails, the comparison skips
/// it.
package struct ExternalProgram: Sendable {
    package let subject: String

    /// The name of its folder, beside those of the benchmarks.
    private let folder: String

    /// The build command, run in that folder.
    private let command: [String]

    /// The built program, relative to that folder.
    private let product: String

    /// The required packages.
    private let needs: String

    package init(subject: String, folder: String, command: [String], product: String, needs: String) {
        self.subject = subject
        self.folder = folder
        self.command = command
        self.product = product
        self.needs = needs
    }

    /// A Swift package with an executable of this name.
    package static func swift(_ subject: String, folder: String, product: String) -> ExternalProgram {
        ExternalProgram(
            subject: subject, folder: folder, command: ["swift", "build", "-c", "release", "--product", product],
            product: ".build/release/\(product)", needs: "its packages")
    }

    /// Builds the program. The build tool skips up-to-date parts.
    /// - Returns: the path of the program.
    package func build() throws -> String {
        let folder = SourceFolder.benchmarks + "/" + folder
        let build = try ChildProcess.start(["env", "-C", folder] + command, readingOutput: true)
        guard case .done = build.end(within: Self.buildSeconds) else {
            let alone = "(cd Tests/Benchmarks/\(self.folder) && \(command.joined(separator: " ")))"
            throw Failure("it needs \(needs); to see why: \(alone)")
        }
        return folder + "/" + product
    }

    private static let buildSeconds = 3_600.0
}

/// A subject that is skipped, and the reason. Thrown where nothing can be compared without it.
package struct LeftOut: Error, Encodable, CustomStringConvertible {
    package let subject: String
    package let reason: String

    package init(subject: String, reason: String) {
        self.subject = subject
        self.reason = reason
    }

    package var description: String { "\(subject) is skipped: \(reason)" }
}
