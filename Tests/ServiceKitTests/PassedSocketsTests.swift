import Glibc
import RPCTestKit
import Testing

@testable import ServiceKit

@Suite struct PassedSocketsTests {
    private static func sockets(
        _ pid: String? = "42", _ count: String?, _ names: String? = nil
    ) throws(PassedSocketsError) -> PassedSockets? {
        let variables = [("LISTEN_PID", pid), ("LISTEN_FDS", count), ("LISTEN_FDNAMES", names)]
        let environment = Dictionary(
            uniqueKeysWithValues: variables.compactMap { name, value in value.map { (name, $0) } })
        return try PassedSockets(environment, process: 42)
    }

    @Test func `sockets for another process, or no sockets, are ignored`() throws {
        for (pid, count) in [("43", "1"), ("x", "1"), ("", "1"), (nil, "1"), ("42", nil), ("42", "0"), (nil, nil)] {
            #expect(try Self.sockets(pid, count) == nil)
        }
    }

    /// In a separate process, because all tests share the environment.
    @Test func `the variables are removed, even if they are for another process`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            for process in [getpid(), 1] {
                for (name, value) in [("PID", "\(process)"), ("FDS", "1"), ("FDNAMES", "feed")] {
                    setenv("LISTEN_\(name)", value, 1)
                }
                let sockets = try PassedSockets.take()
                precondition((sockets != nil) == (process == getpid()))
                precondition(["PID", "FDS", "FDNAMES"].allSatisfy { getenv("LISTEN_\($0)") == nil })
            }
        }
    }

    @Test(arguments: ["", "x", "-1", "1025", "99999999999"]) func `an invalid count is an error`(count: String) {
        #expect(throws: PassedSocketsError.malformed(count: count)) { try Self.sockets("42", count) }
    }

    @Test(arguments: [nil, "unknown", "feed.socket", "a:b:c"])
    func `a service uses the only socket, whatever its name`(names: String?) throws {
        #expect(try #require(try Self.sockets("42", "1", names)).descriptor(for: "feed") == 3)
    }

    @Test(arguments: [("feed:x:y", Int32(3)), ("x:feed:y", 4), (":y:feed", 5)])
    func `of several sockets a service uses the one with its name`(names: String, descriptor: Int32) throws {
        #expect(try #require(try Self.sockets("42", "3", names)).descriptor(for: "feed") == descriptor)
    }

    @Test(arguments: [("gateway:http", Int32?(4)), ("http:x", 3), ("x:y", nil), ("http:http", nil)])
    func `a further socket is used by its name only`(names: String, descriptor: Int32?) throws {
        #expect(try #require(try Self.sockets("42", "2", names)).descriptor(named: "http") == descriptor)
    }

    @Test(arguments: [nil, "", "x:y:z", "feed:feed:x", "x:y:z:feed"])
    func `several sockets without exactly one of that name are an error that lists the names`(names: String?) throws {
        let sockets = try #require(try Self.sockets("42", "3", names))
        let error = #expect(throws: PassedSocketsError.self) { try sockets.descriptor(for: "feed") }
        #expect(error?.description.contains("must be named feed") == true)
        if let names, !names.isEmpty {
            #expect(error?.description.contains(names.replacing(":", with: ", ")) == true)
        }
    }
}
