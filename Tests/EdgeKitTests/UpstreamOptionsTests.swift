import Foundation
import RPC
import Testing
@testable import EdgeKit
@testable import Upstream

@Suite struct UpstreamOptionsTests {
    @Test(arguments: [
        "http://127.0.0.1:8080", "https://feed.example", "https://feed.example/", "http://[::1]:8080/base/path",
    ])
    func `an upstream is a base URL that is allowed at any address`(url: String) throws {
        let options = try UpstreamOptions.parse(["--upstream", url])
        #expect(options.upstream?.description == url)
        #expect(options.settings.trusted == [try UpstreamEndpoint(url: url)])
    }

    @Test(arguments: [
        ["--upstream", ""], ["--upstream", "feed.example"], ["--upstream", "http://"], ["--upstream", "http:///feed"],
        ["--upstream", "http://feed example"], ["--upstream", "ftp://feed.example"],
        ["--upstream", "http://user@feed.example"], ["--upstream", "http://feed.example?a=1"],
        ["--upstream", "http://feed.example#a"], ["--upstream", "http://feed.example:0"],
        ["--upstream", "http://a", "--allow-private-upstream", "127.0.0.1"],
        ["--upstream", "http://a", "--allow-private-upstream", "x:y:z"],
        ["--upstream", "http://a", "--allow-private-upstream", "http://10.0.0.1:80"],
        ["--upstream", "http://a", "--pin", "feed.example"], ["--upstream", "http://a", "--pin", "a=sha256/short"],
        ["--upstream", "http://A", "--pin", "a=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
        ["--upstream", "http://a", "--deny-upstream", "10.0.0.0/33"],
        ["--upstream", "http://10.1.2.3", "--deny-upstream", "10.0.0.0/8"],
        ["--upstream", "http://[::ffff:10.1.2.3]", "--deny-upstream", "10.0.0.0/8"],
        ["--upstream", "http://a", "--allow-private-upstream", "10.1.2.3:80", "--deny-upstream", "10.1.2.3"],
        ["--upstream", "http://a", "--upstream-ca", "/nowhere"],
        ["--upstream", "http://a", "--upstream-ca", "/etc/hosts"],
    ])
    func `anything else is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try UpstreamOptions.parse(arguments) }
    }

    @Test func `the operator can allow further hosts and set pins`() throws {
        let options = try UpstreamOptions.parse([
            "--upstream", "https://a:1", "--allow-private-upstream", "10.0.0.1:80", "--allow-private-upstream", "b:2",
            "--pin", "a=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "--deny-upstream", "10.1.0.0/16",
            "--deny-upstream", "2001:db8::1",
        ])
        #expect(options.settings.denied.map(\.cidr) == ["10.1.0.0/16", "2001:db8::1/128"])
        #expect(
            options.settings.trusted
                == [try UpstreamEndpoint("a:1"), try UpstreamEndpoint("10.0.0.1:80"), try UpstreamEndpoint("b:2")])
        #expect(options.settings.pins.count == 1)
    }

    @Test(arguments: [
        ("http://A:80/x", true), ("http://a/", true), ("http://a:81/", false), ("https://a/", false),
        ("http://b/", false), ("nonsense", false),
    ])
    func `host and port decide whether a URL is on the upstream`(url: String, isOrigin: Bool) throws {
        #expect(try UpstreamBase("http://a").isOrigin(of: url) == isOrigin)
    }

    /// An error must not reveal the address of a name, the target of a redirect or the name of the upstream.
    @Test(arguments: [
        UpstreamError.refused(.address("10.9.8.7", kind: "private", endpoint: "secret.internal:80")),
        .refused(.denied("10.9.8.7", kind: "denied by --deny-upstream 10.0.0.0/8", endpoint: "secret.internal:80")),
        .refused(.portNotAllowed("secret.internal:22")), .refused(.host("secret.internal!")),
        .refused(.port("secret.internal:0")), .refused(.scheme("secret")),
        .refused(.downgrade(to: "http://secret.internal/")), .refused(.pinnedWithoutTLS("secret.internal")),
        .unreachable(host: "secret.internal:80", reason: "no such name"), .malformed("secret"),
        .interrupted(partial: nil, reason: "secret"), .tls(host: "secret.internal", reason: "secret"),
        .pinMismatch(host: "secret.internal"), .overloaded("7 names"),
    ])
    func `callers get general errors`(error: UpstreamError) {
        for text in [error.rpcError.message, "\(error.rpcError)"] {
            #expect(!text.contains("secret") && !text.contains("10.") && !text.contains("7"), "\(text)")
        }
        #expect("\(error)" != error.summary)
    }

    @Test func `refused and denied addresses give the same error`() {
        let kinds = [
            UpstreamError.Refusal.address("10.0.0.1", kind: "private", endpoint: "a:80"),
            .denied("1.1.1.1", kind: "denied", endpoint: "a:80"),
        ]
        #expect(Set(kinds.map { UpstreamError.refused($0).summary }).count == 1)
    }

    @Test(arguments: [
        (UpstreamError.refused(.credentials), ErrorKind.permissionDenied),
        (.unreachable(host: "a", reason: "b"), .connectivity), (.timedOut(.total, limit: .seconds(1)), .connectivity),
        (.interrupted(partial: nil, reason: "a"), .connectivity), (.tls(host: "a", reason: "b"), .connectivity),
        (.pinMismatch(host: "a"), .connectivity), (.malformed("a"), .invalidData),
        (.tooLarge(.body, limit: 1), .invalidData), (.tooManyRedirects(limit: 5), .invalidData),
        (.overloaded("a"), .overloaded), (.cancelled, .cancelled), (.shutDown, .unavailable),
    ])
    func `every failure has its kind`(error: UpstreamError, kind: ErrorKind) {
        #expect(error.rpcError.kind == kind)
        #expect(error.rpcError.message == error.summary)
    }
}

extension AddressRange {
    fileprivate var cidr: String { "\(first)/\(bits)" }
}
