import RPC
import RPCTestKit
import Testing

struct RequestMetaTests {
    private static func ping(meta: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","meta":\#(meta)}"#
    }

    @Test(arguments: ["1000", "86400000", "1e3", "1000.0", "null"])
    func `a time from 1 to 86,400,000 ms is accepted`(timeout: String) async throws {
        try await withPeer { peer, _ in
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{}}"#, to: Self.ping(meta: #"{"timeout_ms":\#(timeout)}"#))
        }
    }

    @Test func `a time of 1 ms is a valid time, though it may be over`() async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: Self.ping(meta: #"{"timeout_ms":1}"#))
            #expect([nil, .deadlineExceeded].contains(answer.error?.kind))
        }
    }

    @Test(arguments: ["0", "86400001", "-1", "1.5", "1e400", "true", "\"1000\"", "[]", "{}", "9223372036854775808"])
    func `any other time is an invalid parameter`(timeout: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: Self.ping(meta: #"{"timeout_ms":\#(timeout)}"#))
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.begun == false)
            #expect(answer.error?.message.hasPrefix("meta.timeout_ms: must be ") == true)
            try await peer.expectAlive()
        }
    }

    @Test(arguments: ["[]", "1", "\"a\"", "null", "true"])
    func `a meta that is no object is an invalid parameter`(meta: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: Self.ping(meta: meta))
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message == "meta: must be an object")
        }
    }

    @Test func `unknown members of meta are ignored, as are those of features that were not negotiated`() async throws {
        try await withPeer { peer, _ in
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                to: Self.ping(
                    meta: #"{"new":{"a":[]},"attachments":true,"stream":false,"window":16,"priority":"prefetch","":1}"#)
            )
        }
    }

    @Test(arguments: [("{}", CallPriority.visible), (#"{"priority":"prefetch"}"#, .prefetch)])
    func `a handler knows the priority of its call`(meta: String, priority: CallPriority) async throws {
        var table = EchoContract.table
        table.handle(EchoContract.trace) { _, context in .init(text: "\(context.priority)") }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{"text":"\#(priority)"}}"#,
                to: #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":\#(meta)}"#)
        }
    }

    private static let id = "0af7651916cd43dd8448eb211c80319c"

    @Test(
        arguments: [
            "00-\(id)-b7ad6b7169203331-01", "00-\(id)-b7ad6b7169203331-00", "01-\(id)-b7ad6b7169203331-01",
            "cc-\(id)-b7ad6b7169203331-01-what-the-future-brings",
        ])
    func `a trace is passed on unchanged`(parent: String) async throws {
        try await withPeer { peer, _ in
            let text =
                #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":{"traceparent":"\#(parent)","tracestate":"a=1,b=2"}}"#
            let answer = try await peer.answer(to: text)
            #expect(answer.result == #"{"text":"\#(parent) a=1,b=2"}"#)
            #expect(TraceContext(parent: parent).id == Self.id)
        }
    }

    @Test(
        arguments: [
            "", "00", "00-\(id)", "00-\(id)-b7ad6b7169203331", "00-\(id)-b7ad6b7169203331-",
            "ff-\(id)-b7ad6b7169203331-01",
            "00-\(id)-b7ad6b7169203331-01-more", "00-\(id.uppercased())-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-\(id)-0000000000000000-01",
            "00-\(id.dropLast())-b7ad6b7169203331-01", "00-\(id)-b7ad6b716920333-01", "0-\(id)-b7ad6b7169203331-01",
            "00-\(id)-b7ad6b7169203331-1", " 00-\(id)-b7ad6b7169203331-01", "00_\(id)_b7ad6b7169203331_01",
            "00-\(id.dropLast())g-b7ad6b7169203331-01", "g0-\(id)-b7ad6b7169203331-01",
        ])
    func `a malformed trace counts as absent, with its state`(parent: String) async throws {
        try await withPeer { peer, _ in
            let text =
                #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":{"traceparent":"\#(parent)","tracestate":"a=1"}}"#
            let answer = try await peer.answer(to: text)
            #expect(answer.result == #"{"text":""}"#)
        }
    }

    @Test(arguments: ["7", "true", "null", "[]", #"{"a":["b"]}"#])
    func `a trace that is not a string counts as absent, with its state`(parent: String) async throws {
        try await withPeer { peer, _ in
            let text =
                #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":{"traceparent":\#(parent),"tracestate":"a=1"}}"#
            let answer = try await peer.answer(to: text)
            #expect(answer.result == #"{"text":""}"#)
        }
    }

    @Test(arguments: ["7", "true", "null", "[]", #"{"a":["b"]}"#])
    func `a state that is not a string counts as absent, the trace remains`(state: String) async throws {
        try await withPeer { peer, _ in
            let parent = "00-\(Self.id)-b7ad6b7169203331-01"
            let text =
                #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":{"traceparent":"\#(parent)","tracestate":\#(state)}}"#
            let answer = try await peer.answer(to: text)
            #expect(answer.result?.contains(parent) == true)
        }
    }

    @Test func `a state that is too long is dropped, the trace remains`() {
        let parent = "00-\(Self.id)-b7ad6b7169203331-01"
        let longest = String(repeating: "x", count: 512)
        #expect(TraceContext(parent: parent, state: longest).state == longest)
        #expect(TraceContext(parent: parent, state: longest + "x") == TraceContext(parent: parent))
        #expect(TraceContext(parent: nil, state: "a=1").state == nil)
    }

    /// Later versions may append members.
    @Test func `a parent that is too long counts as absent`() {
        let parent = "01-\(Self.id)-b7ad6b7169203331-01-"
        let longest = parent + String(repeating: "x", count: Limits.traceBytes - parent.utf8.count)
        #expect(TraceContext(parent: longest).parent == longest)
        #expect(TraceContext(parent: longest + "x").parent == nil)
    }

    @Test func `a new trace is a valid one`() {
        for _ in 0..<100 {
            let trace = TraceContext.random()
            #expect(trace.id?.count == 32)
            #expect(TraceContext(parent: trace.parent) == trace)
        }
    }

    @Test func `new traces are different, also those of several threads`() async {
        let (tasks, count) = (4, 5_000)
        let ids = await withTaskGroup(of: [String?].self) { group in
            for _ in 0..<tasks { group.addTask { (0..<count).map { _ in TraceContext.random().id } } }
            return await group.reduce(into: Set<String?>()) { $0.formUnion($1) }
        }
        #expect(ids.count == tasks * count)
    }
}
