import Glibc
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

    @Test func `sockets for another process, or none, are nobody's business`() throws {
        for (pid, count) in [("43", "1"), ("x", "1"), ("", "1"), (nil, "1"), ("42", nil), ("42", "0"), (nil, nil)] {
            #expect(try Self.sockets(pid, count) == nil)
        }
    }

    /// In a process of its own: the environment belongs to all tests.
    @Test func `taking them removes the variables, for another process too`() async {
        await #expect(processExitsWith: .success) {
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

    @Test(arguments: ["", "x", "-1", "1025", "99999999999"]) func `a count that is none is an error`(count: String) {
        #expect(throws: PassedSocketsError.malformed(count: count)) { try Self.sockets("42", count) }
    }

    @Test(arguments: [nil, "unknown", "feed.socket", "a:b:c"])
    func `the only one is the service's, whatever it is called`(names: String?) throws {
        #expect(try #require(try Self.sockets("42", "1", names)).descriptor(for: "feed") == 3)
    }

    @Test(arguments: [("feed:x:y", Int32(3)), ("x:feed:y", 4), (":y:feed", 5)])
    func `of several it is the one with the service's name`(names: String, descriptor: Int32) throws {
        #expect(try #require(try Self.sockets("42", "3", names)).descriptor(for: "feed") == descriptor)
    }

    @Test(arguments: [nil, "", "x:y:z", "feed:feed:x", "x:y:z:feed"])
    func `several without exactly one of that name are an error that tells the names`(names: String?) throws {
        let sockets = try #require(try Self.sockets("42", "3", names))
        let error = #expect(throws: PassedSocketsError.self) { try sockets.descriptor(for: "feed") }
        #expect(error?.description.contains("must be named feed") == true)
        if let names, !names.isEmpty {
            #expect(error?.description.contains(names.replacing(":", with: ", ")) == true)
        }
    }
}
