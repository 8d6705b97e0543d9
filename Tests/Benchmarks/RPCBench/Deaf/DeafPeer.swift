import BenchKit
import RPC

/// Measures calls with a deadline of 500 ms to a peer that does not read: requests of all sizes, several at a time.
struct DeafPeer: Case {
    let name: String
    let greets: Bool
    let comparesSubjects = false

    static let all = [
        DeafPeer(name: "500 ms deadline, peer never reads", greets: false),
        DeafPeer(name: "500 ms deadline, peer reads hello only", greets: true),
    ]

    private static let milliseconds: Int64 = 500
    private static let callsAtOnce = 8
    private static let secondsUntilStalled = 10

    private static let requests = [("32 B", 32), ("64 KB", 65_536), ("1 MB", 1_048_576), ("6 MB", 6_291_456)]

    func run(in bench: Bench) async throws -> Findings {
        try await withBenchDirectory { directory in
            let socket = directory + "/deaf.sock"
            let peer = try ChildProcess.start(
                [Programs.current, "serve-deaf", socket] + (greets ? ["--greets"] : []))
            defer { peer.stop() }
            try peer.waitUntilServing(at: socket)
            var findings = Findings()
            for (size, bytes) in Self.requests {
                var endings = Endings()
                for round in 1...bench.rounds {
                    bench.progress.show("\(name), round \(round) of \(bench.rounds): \(size)")
                    endings += try await callAtOnce(.init(ofParams: bytes), to: SocketPath(socket))
                }
                findings.calls.append(endings.finding(in: name, subject: "\(size), \(Self.callsAtOnce) at a time"))
            }
            return findings
        }
    }

    /// Uses a new client, because the circuit of a client without answers is open and would fail the next calls at once.
    private func callAtOnce(_ request: BenchContract.Request, to socket: SocketPath) async throws -> Endings {
        try await RPCClient.withConnection(to: socket, as: "rpc-bench") { client in
            if greets { try await waitForGreeting(of: client) }
            return try await withThrowingTaskGroup(of: Endings?.self) { group in
                for _ in 0..<Self.callsAtOnce { group.addTask { await ending(of: request, client) } }
                group.addTask {
                    // This sleep is cancelled when all calls have ended.
                    try? await Task.sleep(for: .seconds(Self.secondsUntilStalled))
                    return nil
                }
                var endings = Endings()
                for _ in 0..<Self.callsAtOnce {
                    guard let ending = try await group.next() ?? nil else { break }
                    endings += ending
                }
                // The remaining calls end as cancelled, and are reported so.
                group.cancelAll()
                for try await case let ending? in group { endings += ending }
                return endings
            }
        }
    }

    private func waitForGreeting(of client: RPCClient) async throws {
        while await client.greeting() == nil { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func ending(of request: BenchContract.Request, _ client: RPCClient) async -> Endings {
        var endings = Endings()
        let start = MonotonicTime.now()
        do throws(RPCError) {
            _ = try await client.call(
                BenchContract.get, request, CallOptions(timeout: .milliseconds(Self.milliseconds)))
            endings.add(MonotonicTime.now() - start, nil)
        } catch {
            endings.add(MonotonicTime.now() - start, error)
        }
        return endings
    }
}

/// The outcomes and latencies of calls.
private struct Endings: Sendable {
    private var latencies = Latencies()
    private var others: [String] = []

    mutating func add(_ time: Int64, _ error: RPCError?) {
        latencies.add(time)
        if error?.kind != .deadlineExceeded { others.append(error?.kind.rawValue ?? "answered") }
    }

    static func += (all: inout Endings, more: Endings) {
        all.latencies.add(more.latencies)
        all.others += more.others
    }

    func finding(in name: String, subject: String) -> CallFinding {
        let times = latencies.percentiles([0.5, 0.99, 1])
        let kinds = Dictionary(grouping: others, by: \.self).map { "\($1.count) of \(latencies.count) \($0)" }
        return CallFinding(
            name: name, subject: subject, p50: times[0], p99: times[1], slowest: times[2],
            problem: kinds.isEmpty ? nil : kinds.sorted().joined(separator: ", "))
    }
}
