import BenchKit

/// How an external subject is built. If the build fails, the comparison skips the subject.
struct ExternalProgram: Sendable {
    let subject: String

    /// The name of its folder, beside that of rpc-bench.
    let folder: String

    /// The build command, run in that folder.
    let command: [String]

    /// The built program, relative to that folder.
    let product: String

    /// The required packages.
    let needs: String

    static let all = [grpc, ttrpc]

    static let grpc = ExternalProgram(
        subject: "grpc-swift-2", folder: "GRPCBench",
        command: ["swift", "build", "-c", "release", "--product", "grpc-bench"],
        product: ".build/release/grpc-bench", needs: "its packages")

    static let ttrpc = ExternalProgram(
        subject: "ttrpc (Go)", folder: "TTRPCBench",
        command: [
            "env", "GO111MODULE=off", "GOPATH=/usr/share/gocode", "go", "build", "-o", ".build/ttrpc-bench", ".",
        ],
        product: ".build/ttrpc-bench", needs: "golang-go and golang-github-containerd-ttrpc-dev")

    /// Builds the program. The build tool skips up-to-date parts.
    func build() throws -> ExternalSubject {
        let folder = SourceFolder.benchmarks + "/" + folder
        let build = try ChildProcess.start(["env", "-C", folder] + command, readingOutput: true)
        guard case .done = build.end(within: Self.buildSeconds) else {
            let alone = "(cd Tests/Benchmarks/\(self.folder) && \(command.joined(separator: " ")))"
            throw Failure("it needs \(needs); to see why: \(alone)")
        }
        return ExternalSubject(name: subject, program: folder + "/" + product)
    }

    private static let buildSeconds = 3_600.0
}
