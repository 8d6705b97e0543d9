import ArgumentParser
import RPC
import RPCTestKit
import Testing

@testable import ServiceKit

@Suite struct ServiceOptionsTests {
    // MARK: Limits

    @Test func `every limit accepts its minimum and maximum, and nothing outside`() throws {
        for setting in Limits.settings {
            for value in [setting.allowed.lowerBound, setting.allowed.upperBound] {
                let options = try ServiceOptions.parse(["--limit", "\(setting.name)=\(value)"])
                var expected = Limits()
                expected[setting] = value
                #expect(try options.limits() == expected)
                #expect(expected[setting] == value)
            }
            for value in [setting.allowed.lowerBound - 1, setting.allowed.upperBound + 1] {
                let message = refusal(of: ["--limit", "\(setting.name)=\(value)"])
                #expect(message.contains("\(setting.name) must be a number from \(setting.allowed.lowerBound) to"))
            }
        }
    }

    @Test func `several limits can be set, and the last value of each applies`() throws {
        let options = try ServiceOptions.parse([
            "--limit", "connections=5", "--limit", "frame_bytes=5000", "--limit", "connections=6",
        ])
        #expect(try options.limits().connections == 6)
        #expect(try options.limits().frameBytes == 5_000)
    }

    @Test(arguments: ["nothing=1", "connections", "connections:1", "=1", "", "Connections=1"])
    func `an unknown limit is refused with the names of the known ones`(text: String) {
        let message = refusal(of: ["--limit", text])
        for setting in Limits.settings { #expect(message.contains(setting.name)) }
    }

    @Test(arguments: [
        "connections=", "connections=x", "connections=1.5", "connections= 1", "connections=99999999999999999999",
    ])
    func `a value that is not a number is refused with the allowed range`(text: String) {
        #expect(refusal(of: ["--limit", text]).contains("connections must be a number from 1 to 1000000"))
    }

    @Test func `help names every limit with its default`() {
        let help = ServiceOptions.helpMessage()
        for setting in Limits.settings { #expect(help.contains("\(setting.name) (\(Limits()[setting]))")) }
    }

    // MARK: Peers

    @Test func `users and groups are named or numbered`() throws {
        let options = try ServiceOptions.parse([
            "--allow-user", "daemon", "--allow-user", "12345", "--allow-group", "54321", "--allow-group", "daemon",
        ])
        #expect(try options.peers.trusted() == TrustedPeers(users: [1, 12_345], groups: [54_321, 1]))
    }

    @Test func `without options only the same user and root are trusted`() throws {
        #expect(try ServiceOptions.parse([]).peers.trusted() == TrustedPeers())
    }

    @Test(arguments: ["no-such-name", "-1", "4294967295", "4294967296"])
    func `unknown users and groups are refused by name`(name: String) {
        #expect(refusal(of: ["--allow-user=\(name)"]).contains("there is no user \(name)"))
        #expect(refusal(of: ["--allow-group=\(name)"]).contains("there is no group \(name)"))
    }

    // MARK: Root

    @Test func `an empty root is refused`() {
        #expect(refusal(of: ["--root", ""]).contains("--root needs a directory"))
    }

    @Test func `a root that does not exist is refused, unless it is to be created`() async throws {
        try await withTemporaryDirectory { root in
            try ServiceOptions.parse(["--root", root]).check()
            try ServiceOptions.parse(["--root", root + "/none", "--create"]).check()
            let options = try ServiceOptions.parse(["--root", root + "/none"])
            #expect { try options.check() } throws: { error in
                (error as? ValidationError)?.message == "there is no directory \(root)/none; --create creates it"
            }
        }
    }

    private func refusal(of arguments: [String]) -> String {
        let error = #expect(throws: (any Error).self) { try ServiceOptions.parse(arguments) }
        return error.map { ServiceOptions.message(for: $0) } ?? ""
    }
}
