import NIOCore
import NIOEmbedded

@testable import RPC

/// A client with a peer that behaves arbitrarily.
final class ClientScript {
    private let loop: EmbeddedEventLoop
    private let client: FuzzClient
    private var peer = WildPeer()

    init(on loop: EmbeddedEventLoop, _ input: inout FuzzInput) throws {
        self.loop = loop
        client = try FuzzClient(on: loop, limits: .fuzzed(&input), features: .fuzzed(&input).union(.zlib))
    }

    func run(_ input: inout FuzzInput) throws {
        let outcome = Result { try play(&input) }
        client.stop()
        loop.rest()
        try outcome.get()
        try client.checkEnd()
    }

    private func play(_ input: inout FuzzInput) throws {
        try client.connect()
        if input.flag() { try greet(&input) }
        for _ in 0..<ConnectionFuzz.mostSteps where !input.isEmpty {
            try step(&input)
            loop.run()
            try client.check()
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = ByteBuffer(bytes: bytes)
        while rest.readableBytes > 0, let end = client.end {
            let cut = bytes.count > 2_000 ? max(peer.cut, 1_000) : peer.cut
            let length = peer.cut == 0 ? rest.readableBytes : min(cut, rest.readableBytes)
            try end.receive(rest.readSlice(length: length) ?? ByteBuffer())
        }
    }

    private func step(_ input: inout FuzzInput) throws {
        switch input.number(below: 24) {
        case 0, 1: client.call(&input)
        case 2: client.takeItem(ofStream: input.number(below: 4))
        case 3...5: try send(peer.message(result(&input), &input))
        case 6: try send(peer.message(error(&input), &input))
        case 7, 8: try send(peer.message(item(&input), &input))
        case 9, 10: try send(peer.chunk(&input))
        case 11, 12: try send(peer.part(&input))
        case 13: try send(WildPeer.credit(UInt32(input.number(below: 16)), WildPeer.creditBytes(&input)))
        case 14: try send(peer.aborted(&input))
        case 15: try send(WildPeer.frame(.stop, number: UInt32(input.number(below: 16)), []))
        case 16: loop.pass(&input)
        case 17: client.end?.kernel.isEager.toggle()
        case 18: client.end?.kernel.take(input.number(below: 8))
        case 19: peer.changeCut(&input)
        case 20: try send(WildPeer.raw(&input))
        case 21: client.core.cancel(id(&input))
        case 22: try greet(&input)
        default: try rare(&input)
        }
    }

    private func rare(_ input: inout FuzzInput) throws {
        switch input.number(below: 5) {
        case 0: client.end?.close()
        case 1: try send(WildPeer.frame(.message, #"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#.utf8))
        case 2: client.core.failed(ChannelError.eof)
        case 3: try send(WildPeer.frame(.message, #"{"jsonrpc":"2.0","method":"later.news","attachments":[1]}"#.utf8))
        default: try client.connect()
        }
    }

    // MARK: Messages

    private func id(_ input: inout FuzzInput) -> Int { max(client.lastID - input.number(below: 6), -1) }

    private func greet(_ input: inout FuzzInput) throws {
        let features = Features.fuzzed(&input).names.map { "\"\($0)\"" }.joined(separator: ",")
        let limit = input.one(of: [8_000_000, 16_777_215, 4_096, 300, 1])
        let numbers = input.one(of: [64, 2, 0])
        try send(
            WildPeer.frame(
                .message,
                #"""
                {"jsonrpc":"2.0","id":0,"result":{"protocol":1,"service":{"name":"w","version":"1","instance":"1"},\#
                "contracts":{},"features":[\#(features)],"limits":{"frame_bytes":\#(limit),"open_transfers":\#(numbers),\#
                "calls_per_connection":\#(input.one(of: [100, 2, 1, 0]))}}}
                """#.utf8))
    }

    private func result(_ input: inout FuzzInput) -> String {
        let numbers = input.flag() ? peer.numbers(&input) : []
        return #"{"jsonrpc":"2.0","id":\#(id(&input)),"result":\#(value(&input))\#(beside(numbers))}"#
    }

    private func error(_ input: inout FuzzInput) -> String {
        let kind = input.one(of: ["unavailable", "not_found", "overloaded", "unavailable", "parse_error"])
        let id = input.byte() < 8 ? "null" : "\(id(&input))"
        return #"""
            {"jsonrpc":"2.0","id":\#(id),"error":{"code":-32001,"message":"m","data":{"kind":"\#(kind)","retryable":true,\#
            "begun":\#(input.flag()),"service":"w"}}}
            """#
    }

    private func item(_ input: inout FuzzInput) -> String {
        let numbers = input.flag() ? peer.numbers(&input) : []
        return #"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":\#(id(&input)),"item":\#(value(&input))}"#
            + "\(beside(numbers))}"
    }

    private func value(_ input: inout FuzzInput) -> String {
        switch input.number(below: 4) {
        case 0: #"{"data":{"$bytes":{"attachment":0}}}"#
        case 1: #"{"data":{"$bytes":{"base64":"AAAA"}}}"#
        case 2: "\"\(String(repeating: "x", count: input.one(of: [10, 4_000, 100_000])))\""
        default: "{}"
        }
    }

    private func beside(_ numbers: [UInt32]) -> String { numbers.isEmpty ? "" : ",\"attachments\":\(numbers)" }
}

extension FuzzClient {
    /// A call as a script describes it.
    func call(_ input: inout FuzzInput) {
        let choice = input.byte()
        let method = FuzzMethods.names[Int(choice) % FuzzMethods.names.count]
        let isStream = method == FuzzMethods.items.name || method == FuzzMethods.follow.name
        call(
            method, size: input.one(of: [0, 10, 4_000, 70_000, 300_000]), count: input.number(below: 20),
            data: input.one(of: [nil, 0, 100, 70_000, 300_000]),
            timeout: input.one(of: [TimeAmount.seconds(5), .seconds(100), nil]),
            window: isStream ? input.one(of: [16, 1, 2]) : nil, takesAttachments: choice & 0x80 == 0,
            isRepeatable: choice & 0x40 == 0)
    }
}
