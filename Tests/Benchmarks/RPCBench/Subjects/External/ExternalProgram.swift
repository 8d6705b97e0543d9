import BenchKit

/// How an external subject is built. Where that fails the comparison goes on without it.
struct ExternalProgram: Sendable {
    let subject: String

    /// Its folder beside that of rpc-bench.
    let folder: String

    /// Run in that folder.
    let command: [String]

    /// What comes of it, in that folder.
    let product: String

    /// What has to be there for it.
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

    /// The build itself knows what is up to date.
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
