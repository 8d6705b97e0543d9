import NIOCore
import NIOEmbedded

@testable import RPC

/// Our client and our server. Neither may detect an error of the other, whatever happens to the bytes between them.
final class PairScript {
    private let loop: EmbeddedEventLoop
    private let server: FuzzServer
    private let client: FuzzClient

    init(on loop: EmbeddedEventLoop, _ input: inout FuzzInput) throws {
        self.loop = loop
        var (atServer, atClient) = (Limits.fuzzed(&input), Limits.fuzzed(&input))
        // The script delays bytes for hours; that is not the peer's fault.
        atServer.frameTimeout = .hours(10_000)
        atClient.frameTimeout = .hours(10_000)
        // Of a client's limits, a server receives only `frame_bytes`; for the others it assumes the defaults.
        (atClient.openTransfers, atClient.assembledBytes) = (Limits().openTransfers, Limits().assembledBytes)
        server = try FuzzServer(on: loop, limits: atServer)
        client = try FuzzClient(on: loop, limits: atClient, features: .fuzzed(&input))
    }

    func run(_ input: inout FuzzInput) throws {
        let outcome = Result { try play(&input) }
        client.stop()
        server.end.close()
        loop.run()
        server.stop()
        loop.rest()
        try outcome.get()
        try client.checkEnd()
        try server.checkEnd()
    }

    private func play(_ input: inout FuzzInput) throws {
        try client.connect()
        for _ in 0..<ConnectionFuzz.mostSteps where !input.isEmpty {
            try step(&input)
            try look()
        }
        // All remaining bytes arrive.
        server.end.kernel.isEager = true
        client.end?.kernel.isEager = true
        server.end.kernel.take(.max)
        client.end?.kernel.take(.max)
        for _ in 0..<1_000 where try move(.max, .max) { try look() }
    }

    private func look() throws {
        loop.run()
        try server.check(received: 100_000)
        try client.check()
        try client.checkPeer()
    }

    private func step(_ input: inout FuzzInput) throws {
        switch input.number(below: 16) {
        case 0...3: client.call(&input)
        case 4: client.takeItem(ofStream: input.number(below: 4))
        case 5: client.core.cancel(max(client.lastID - input.number(below: 6), 1))
        case 6...8: _ = try move(input.one(of: [.max, 1, 100, 70_000]), 0)
        case 9...11: _ = try move(0, input.one(of: [.max, 1, 100, 70_000]))
        case 12: loop.pass(&input)
        case 13: server.gate.open()
        case 14:
            let kernel = input.flag() ? server.end.kernel : client.end?.kernel
            if input.flag() { kernel?.isEager.toggle() } else { kernel?.take(input.number(below: 8)) }
        default: try rare(&input)
        }
    }

    private func rare(_ input: inout FuzzInput) throws {
        switch input.number(below: 16) {
        case 0: server.core.drain()
        case 1: client.end?.close()
        case 2: server.end.close()
        default: for _ in 0..<10 where try move(.max, .max) { try look() }
        }
    }

    /// Moves at most this many bytes to the server and to the client. An end that has closed is noticed by the other.
    /// - Returns: whether any bytes were moved.
    private func move(_ toServer: Int, _ toClient: Int) throws -> Bool {
        guard let end = client.end else { return false }
        let (requests, answers) = (end.kernel.read(toServer), server.end.kernel.read(toClient))
        try server.end.receive(requests)
        try end.receive(answers)
        loop.run()
        let hasClosed = end.kernel.arrived.readableBytes == 0 && !end.channel.isActive
        if hasClosed, server.end.channel.isActive { server.end.close() }
        let hasEnded =
            server.end.kernel.arrived.readableBytes == 0
            && (server.end.kernel.hasClosedOutput || !server.end.channel.isActive)
        if hasEnded, end.channel.isActive { end.close() }
        return requests.readableBytes + answers.readableBytes > 0
    }
}
