import ArgumentParser
import Foundation
import NIOCore
import RPC

/// What answers.
enum ServerKind: String, ExpressibleByArgument, CaseIterable {
    case echo
    case runtime

    func serve(on path: String) async throws {
        switch self {
        case .echo: try await BareEcho.serve(on: path)
        case .runtime: try await RuntimeSubject.serve(on: path)
        }
    }
}

/// What is compared: a server and the way it is called.
enum Subject: String, CaseIterable {
    case echo = "swift-nio echo"
    case runtime = "runtime"
    case runtimeFromPool = "runtime, callers on other threads"

    var server: ServerKind { self == .echo ? .echo : .runtime }

    func measure(path: String, underWay: Int, seconds: Double) async throws -> Latencies {
        switch self {
        case .echo: try await BareEcho.measure(path: path, underWay: underWay, seconds: seconds)
        case .runtime, .runtimeFromPool:
            try await RuntimeSubject.measure(path: path, underWay: underWay, seconds: seconds, onLoop: self == .runtime)
        }
    }
}

/// Runs every subject in every case, round by round.
struct Comparison {
    let rounds: Int
    let seconds: Double
    let progress: Progress

    static let underWay = [1, 64]

    func run() async throws -> [CaseResult] {
        try await withBenchDirectory { directory in
            var servers: [Process] = []
            defer { servers.forEach { $0.terminate() } }
            for kind in ServerKind.allCases { servers.append(try await start(kind, path(kind, directory))) }
            var results: [CaseResult] = []
            for underWay in Self.underWay { results += try await measure(underWay, directory) }
            return results
        }
    }

    private func measure(_ underWay: Int, _ directory: String) async throws -> [CaseResult] {
        var measured: [Subject: [Latencies]] = [:]
        for round in 1...rounds {
            for subject in Subject.allCases {
                progress.show("\(underWay) under way, round \(round) of \(rounds): \(subject.rawValue)")
                let path = path(subject.server, directory)
                measured[subject, default: []].append(
                    try await subject.measure(path: path, underWay: underWay, seconds: seconds))
            }
        }
        return Subject.allCases.map { subject in
            CaseResult(
                name: "\(underWay) under way", subject: subject.rawValue, rounds: measured[subject] ?? [],
                seconds: seconds)
        }
    }

    private func path(_ kind: ServerKind, _ directory: String) -> String { "\(directory)/\(kind.rawValue).sock" }

    private func start(_ kind: ServerKind, _ path: String) async throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve", kind.rawValue, path]
        try process.run()
        while !FileManager.default.fileExists(atPath: path) {
            guard process.isRunning else { throw ExitCode.failure }
            try await Task.sleep(for: .milliseconds(5))
        }
        return process
    }
}
