import NIOCore
import NIOEmbedded

@testable import RPC

/// A server with a peer that behaves arbitrarily.
final class ServerScript {
    private let loop: EmbeddedEventLoop
    private let server: FuzzServer
    private var peer = WildPeer()
    private var seen: FuzzReader
    private var received = 0

    init(on loop: EmbeddedEventLoop, _ input: inout FuzzInput) throws {
        self.loop = loop
        server = try FuzzServer(on: loop, limits: .fuzzed(&input))
        seen = FuzzReader()
    }

    func run(_ input: inout FuzzInput) throws {
        let outcome = Result { try play(&input) }
        server.end.close()
        loop.run()
        server.stop()
        loop.rest()
        try outcome.get()
        try server.checkEnd()
    }

    private func play(_ input: inout FuzzInput) throws {
        loop.run()
        if input.flag() { try hello(&input) }
        for _ in 0..<ConnectionFuzz.mostSteps where !input.isEmpty {
            try step(&input)
            try look()
        }
        // The peer reads but sends nothing more: after all deadlines, nothing may be left.
        server.end.kernel.isEager = true
        server.end.kernel.take(.max)
        for _ in 0..<4 { loop.advanceTime(by: .hours(10)) }
        try look()
        let hasEnded = server.connection.calls.values.allSatisfy { $0.deadline == .distantFuture }
        try FuzzFinding.unless(hasEnded, "a call outlives its deadline")
    }

    private func look() throws {
        loop.run()
        try seen.read(server.end.kernel.read(.max), server.connection.transport.features)
        try server.check(received: received)
    }

    private func send(_ bytes: [UInt8]) throws {
        received += bytes.count
        var rest = ByteBuffer(bytes: bytes)
        while rest.readableBytes > 0 {
            // Long inputs are not split into so many pieces.
            let cut = bytes.count > 2_000 ? max(peer.cut, 1_000) : peer.cut
            let length = peer.cut == 0 ? rest.readableBytes : min(cut, rest.readableBytes)
            try server.end.receive(rest.readSlice(length: length) ?? ByteBuffer())
        }
    }

    private func step(_ input: inout FuzzInput) throws {
        switch input.number(below: 24) {
        case 0...6: try send(peer.message(request(&input), &input))
        case 7: try send(peer.message(batch(&input), &input))
        case 8: try send(peer.message(notification("rpc.cancel", "{\"id\":\(id(&input))}"), &input))
        case 9: try grantItems(&input)
        case 10, 11: try send(peer.chunk(&input))
        case 12, 13: try send(peer.part(&input))
        case 14: try grantBytes(&input)
        case 15: try send(peer.aborted(&input))
        case 16: try send(WildPeer.frame(.stop, number: number(&input), []))
        case 17: loop.pass(&input)
        case 18: server.end.kernel.isEager.toggle()
        case 19: server.end.kernel.take(input.number(below: 8))
        case 20: server.gate.open()
        case 21: peer.changeCut(&input)
        case 22: try send(WildPeer.raw(&input))
        default: try rare(&input)
        }
    }

    private func rare(_ input: inout FuzzInput) throws {
        switch input.number(below: 5) {
        case 0: server.end.receiveEnd()
        case 1: server.end.close()
        case 2: server.core.drain()
        case 3: server.core.closeAll()
        default: try hello(&input)
        }
    }

    // MARK: Messages

    private func hello(_ input: inout FuzzInput) throws {
        let features = Features.fuzzed(&input).names.map { "\"\($0)\"" }.joined(separator: ",")
        let limit = input.one(of: [16_777_215, 100_000, 4_096, 300, 1])
        seen.frameLimit = limit
        seen.asked("\"h\"")
        try send(
            WildPeer.frame(
                .message,
                #"""
                {"jsonrpc":"2.0","id":"h","method":"rpc.hello","params":{"protocols":[1],"features":[\#(features)],\#
                "limits":{"frame_bytes":\#(limit)}}}
                """#.utf8))
    }

    /// Few, so that they collide.
    private func id(_ input: inout FuzzInput) -> String { input.one(of: ["1", "2", "3", "\"a\"", "\"b\"", "-0"]) }

    /// A number that the server uses: it counts from one.
    private func number(_ input: inout FuzzInput) -> UInt32 { UInt32(input.number(below: 16)) }

    private func request(_ input: inout FuzzInput) -> String {
        let head = input.byte()
        let isNotification = head & 0xF0 == 0
        let id = id(&input)
        if !isNotification { seen.asked(id) }
        let method = FuzzMethods.names[Int(head) % FuzzMethods.names.count]
        let numbers = input.flag() ? peer.numbers(&input) : []
        let size = input.one(of: [0, 10, 1_000, 4_000, 70_000, 300_000])
        let data = numbers.isEmpty ? "" : #","data":{"$bytes":{"attachment":0}}"#
        let beside = numbers.isEmpty ? "" : ",\"attachments\":\(numbers)"
        return
            #"{"jsonrpc":"2.0",\#(isNotification ? "" : "\"id\":\(id),")"method":"\#(method)","#
            + #""params":{"size":\#(size),"count":\#(input.number(below: 40))\#(data)},"#
            + #""meta":{\#(meta(&input, method, id))}\#(beside)}"#
    }

    private func meta(_ input: inout FuzzInput, _ method: String, _ id: String) -> String {
        let choice = input.byte()
        var members: [String] = []
        if choice & 1 == 1 { members.append("\"attachments\":true") }
        if choice & 2 == 2 { members.append("\"timeout_ms\":\(input.one(of: [1, 100, 5_000]))") }
        let isStream = method == FuzzMethods.items.name || method == FuzzMethods.follow.name
        if isStream != (choice & 0xF0 == 0) {
            members.append("\"stream\":true")
            let window = input.one(of: [16, 1, 2, 1_024])
            members.append("\"window\":\(window)")
            seen.granted(window, to: id)
        }
        return members.joined(separator: ",")
    }

    private func batch(_ input: inout FuzzInput) -> String {
        let members = (0..<input.number(below: 6)).map { _ in request(&input) }
        return "[\(members.joined(separator: ","))]"
    }

    private func notification(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#
    }

    private func grantItems(_ input: inout FuzzInput) throws {
        let (id, items) = (id(&input), input.one(of: [1, 2, 16, 1_024, 0]))
        seen.granted(items, to: id)
        try send(WildPeer.frame(.message, notification("rpc.grant", #"{"id":\#(id),"items":\#(items)}"#).utf8))
    }

    private func grantBytes(_ input: inout FuzzInput) throws {
        let (number, bytes) = (number(&input), WildPeer.creditBytes(&input))
        seen.granted(bytes, to: number)
        try send(WildPeer.credit(number, bytes))
    }
}
