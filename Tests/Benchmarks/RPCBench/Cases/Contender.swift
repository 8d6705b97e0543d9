import BenchKit
import Foundation

/// A subject while it serves one case.
struct Contender {
    let subject: any Subject
    let served: Served
    private let socket: String
    private var rounds: [Round] = []
    private var problem: String?

    /// Starts the subject and waits until it serves.
    init(_ subject: any Subject, in directory: String) throws {
        let served = try subject.start(in: directory)
        self.subject = subject
        self.served = served
        socket = subject.socket(in: directory)
        do {
            try served.server.waitUntilServing(at: socket)
        } catch {
            served.stop()
            throw error
        }
    }

    /// The longest time that a measurement may exceed its duration. Running calls must end within it; else the subject stalls.
    static let secondsUntilStalled = 10.0

    /// Adds a round, unless an earlier one has failed.
    mutating func measure(_ load: Load) throws {
        guard problem == nil else { return }
        do throws(Failure) {
            let before = served.server.processorTime
            let measurement = try Self.measure(load, subject, over: socket)
            rounds.append(Round(measurement, processorTime: served.server.processorTime - before))
        } catch {
            problem = "\(error) in round \(rounds.count + 1)"
            if !served.server.isRunning { problem?.append(", and its server has exited") }
        }
    }

    static func measure(_ load: Load, _ subject: any Subject, over socket: String) throws(Failure) -> Measurement {
        let caller: ChildProcess
        do {
            caller = try ChildProcess.start(try subject.measuring(load, over: socket), readingOutput: true)
        } catch {
            throw Failure("cannot be called: \(error)")
        }
        return try measurement(caller, load)
    }

    /// Waits for the output of the program.
    static func measurement(_ caller: ChildProcess, _ load: Load) throws(Failure) -> Measurement {
        switch caller.end(within: load.warmUpSeconds + load.seconds + secondsUntilStalled) {
        case .done(let output):
            do {
                return try JSONDecoder().decode(Measurement.self, from: output)
            } catch {
                throw Failure("printed no measurement")
            }
        case .failed: throw Failure("failed")
        case .late: throw Failure("stalled")
        }
    }

    func finding(in name: String) -> CallFinding {
        // Fails for a server that has exited.
        let resident = (try? Memory(of: served.server.id))?.resident
        return CallFinding(name: name, subject: subject.name, rounds: rounds, resident: resident, problem: problem)
    }
}
