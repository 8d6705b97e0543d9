import BenchKit

/// A performance aim of the project, and how to read its value from findings.
struct Aim: Sendable {
    enum Bound {
        case atLeast(Double)
        case atMost(Double)
    }

    let text: String
    let bound: Bound

    /// The value; nil if the run has not measured it.
    let value: @Sendable (Findings) -> Double?

    func isReached(by value: Double) -> Bool {
        switch bound {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }

    static let all = latency + throughput + others

    private static let latency =
        ["32 B", "1 KB", "64 KB"].map { size in
            Aim(text: "\(size), 1 under way: p50 × ttrpc", bound: .atMost(1)) {
                $0.ratio(\.p50, LoadCase.name(size, underWay: 1), to: ExternalProgram.ttrpc.subject)
            }
        } + [
            Aim(text: "1 KB, 1 under way: p50 × echo", bound: .atMost(1.2)) {
                $0.ratio(\.p50, LoadCase.name("1 KB", underWay: 1), to: OwnSubject.echo.name)
            }
        ]

    private static let throughput = [1, LoadCase.manyConnections].flatMap { connections in
        [(16, 1.5), (64, 2.5), (512, 3.0), (2_048, 3.0)].map { underWay, bound in
            let name = LoadCase.name("1 KB", underWay: underWay, connections: connections)
            return Aim(text: "\(name): calls/s × ttrpc", bound: .atLeast(bound)) {
                $0.ratio(\.callsPerSecond, name, to: ExternalProgram.ttrpc.subject)
            }
        }
    }

    private static let others = [
        Aim(text: "1 KB, 64 under way: server CPU µs/call", bound: .atMost(2.5)) {
            $0.call(of: OwnSubject.runtime.name, in: LoadCase.name("1 KB", underWay: 64))?.processorTimePerCall
        },
        Aim(text: "through gateway, 64 under way: calls/s × direct", bound: .atLeast(0.6)) {
            let name = LoadCase.name("1 KB", underWay: 64)
            return $0.ratio(\.callsPerSecond, name, of: GatewaySubject.runtime.name, to: OwnSubject.runtime.name)
        },
        Aim(text: "through gateway: calls/s at 2048 × at 64", bound: .atLeast(1)) { findings in
            let callsPerSecond = [2_048, 64].compactMap {
                findings.call(of: GatewaySubject.runtime.name, in: LoadCase.name("1 KB", underWay: $0))?.callsPerSecond
            }
            return callsPerSecond.count == 2 ? callsPerSecond[0] / callsPerSecond[1] : nil
        },
        Aim(text: "1 MB, 64 under way: calls shed", bound: .atMost(0)) {
            ($0.call(of: OwnSubject.runtime.name, in: LoadCase.name("1 MB", underWay: 64))?.shed).map(Double.init)
        },
        Aim(text: "1 MB, 64 under way: calls/s × ttrpc", bound: .atLeast(2)) {
            $0.ratio(\.callsPerSecond, LoadCase.name("1 MB", underWay: 64), to: ExternalProgram.ttrpc.subject)
        },
        Aim(text: "1 KB beside four of 4 MB: p99 ms, worst round", bound: .atMost(4)) {
            let rounds = $0.call(of: OwnSubject.runtime.name, in: LoadCase.besideLarge.name)?.rounds ?? []
            return rounds.map(\.p99).max().map { $0 / 1_000 }
        },
        Aim(text: "computing over 8 connections: calls/s of two loops × one", bound: .atLeast(1)) {
            $0.ratio(
                \.callsPerSecond, LoadCase.computing.name, of: OwnSubject.runtimeOnTwoLoops.name,
                to: OwnSubject.runtime.name)
        },
        Aim(text: "idle service: PSS MB, largest", bound: .atMost(12)) { findings in
            let services = RunningDeployment.programs
            let idle = findings.programs.filter { services.contains($0.program) }.compactMap(\.idle)
            return idle.map(\.proportional).max().map { Double($0) / 1_024 }
        },
    ]
}

extension Findings {
    fileprivate func call(of subject: String, in name: String) -> CallFinding? {
        calls.first { $0.name == name && $0.subject == subject }
    }

    fileprivate func ratio(
        _ value: (CallFinding) -> Double?, _ name: String, of subject: String = OwnSubject.runtime.name,
        to other: String
    ) -> Double? {
        guard let measured = call(of: subject, in: name).flatMap(value),
            let compared = call(of: other, in: name).flatMap(value)
        else { return nil }
        return measured / compared
    }
}
