import ArgumentParser
import BenchKit
import Foundation
import RPC

/// A subject that this program itself serves and calls, in separate processes.
enum OwnSubject: String, Subject, CaseIterable, ExpressibleByArgument {
    case floor
    case echo
    /// The runtime's public interface, called from any task.
    case runtime
    /// Callers on the event loop of their client, so that no call changes threads.
    case runtimeOnLoop = "runtime-on-loop"
    /// The handler waits once, so that each call has a task.
    case runtimeInTasks = "runtime-in-tasks"
    /// The server's connections are spread over two event loops.
    case runtimeOnTwoLoops = "runtime-on-two-loops"
    /// Large replies are bytes beside the message.
    case bytesBeside = "bytes-beside"

    var name: String {
        switch self {
        case .floor: "read and write"
        case .echo: "swift-nio echo"
        case .runtime: "runtime"
        case .runtimeOnLoop: "runtime, callers on its loop"
        case .runtimeInTasks: "runtime, handlers in tasks"
        case .runtimeOnTwoLoops: "runtime, two loops"
        case .bytesBeside: "runtime, bytes beside"
        }
    }

    func start(in directory: String) throws -> Served {
        Served(server: try .start([Programs.current, "serve", rawValue, socket(in: directory)]))
    }

    func measuring(_ load: Load, over socket: String) throws -> [String] {
        [Programs.current, "measure", rawValue, socket, try load.asArgument]
    }

    /// Whether the subject supports the load. The two raw subjects answer in order, so they have no concurrent large replies and
    /// no cancellation. Bytes beside the message need a large reply. Two loops differ from one only where the server computes.
    func takes(_ load: Load) -> Bool {
        if load.isComputing { return self == .runtime || self == .runtimeOnTwoLoops }
        return switch self {
        case .floor, .echo: load.largeCallers == 0 && !load.isCancelling
        case .runtime: true
        case .runtimeOnLoop: !load.isCancelling
        case .runtimeInTasks: !load.isCancelling && load.largeCallers == 0
        case .runtimeOnTwoLoops: false
        case .bytesBeside: max(load.replyBytes, load.largestBeside) >= BenchContract.smallestBlob
        }
    }

    /// - Parameter executor: the executor of the server's event loop, for subjects with one.
    func serve(on socket: String, executor: LoopExecutor) async throws {
        switch self {
        case .floor: try FloorServer.serve(on: socket)
        case .echo: try await EchoServer.serve(on: socket, executor: executor)
        case .runtime, .runtimeOnLoop, .runtimeInTasks, .bytesBeside:
            try await RuntimeServer.serve(
                on: socket, executors: LoopExecutors(executor), inTasks: self == .runtimeInTasks)
        case .runtimeOnTwoLoops: try await RuntimeServer.serve(on: socket, executors: LoopExecutors(count: 2))
        }
    }

    func measure(_ load: Load, over socket: String) async throws -> Measurement {
        switch self {
        case .floor: try await FloorCaller.measure(load, socket: socket)
        case .echo: try await EchoCaller.measure(load, socket: socket)
        case .runtime, .runtimeOnLoop, .runtimeInTasks, .runtimeOnTwoLoops, .bytesBeside:
            try await RuntimeCaller.measure(
                load, socket: socket, onLoop: self == .runtimeOnLoop, bytesBeside: self == .bytesBeside)
        }
    }
}

extension Load {
    fileprivate var largestBeside: Int { largeCallers > 0 ? largeReplyBytes : 0 }

    var asArgument: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
