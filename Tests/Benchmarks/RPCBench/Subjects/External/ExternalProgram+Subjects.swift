import BenchKit

extension ExternalProgram {
    static let subjects = [grpc, ttrpc]

    static let grpc = swift("grpc-swift-2", folder: "GRPCBench", product: "grpc-bench")

    static let ttrpc = ExternalProgram(
        subject: "ttrpc (Go)", folder: "TTRPCBench",
        command: [
            "env", "GO111MODULE=off", "GOPATH=/usr/share/gocode", "go", "build", "-o", ".build/ttrpc-bench", ".",
        ],
        product: ".build/ttrpc-bench", needs: "golang-go and golang-github-containerd-ttrpc-dev")
}
