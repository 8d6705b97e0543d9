import RPCTestKit
import Testing

@testable import gateway

struct InputParserTests {
    private static let cases: [(String, [Input])] = [
        ("", []),
        ("q", [.key(.character("q"))]),
        ("áξ🐔", [.key(.character("á")), .key(.character("ξ")), .key(.character("🐔"))]),
        ("\r\t\u{7F}", [.key(.enter), .key(.tab), .key(.backspace)]),
        ("\u{03}\u{1A}", [.key(.control("c")), .key(.control("z"))]),
        ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.key(.up), .key(.down), .key(.right), .key(.left)]),
        ("\u{1B}OA\u{1B}OH\u{1B}OF", [.key(.up), .key(.home), .key(.end)]),
        ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[8~", [.key(.home), .key(.end), .key(.home), .key(.end)]),
        ("\u{1B}[5~\u{1B}[6~", [.key(.pageUp), .key(.pageDown)]),
        ("\u{1B}[<0;3;5M\u{1B}[<0;3;5m", [.mouse(.press(column: 2, row: 4))]),
        ("\u{1B}[<64;1;1M\u{1B}[<65;1;1M", [.mouse(.wheelUp), .mouse(.wheelDown)]),
        ("\u{1B}[<2;1;1M\u{1B}[<0;0;0M", []),
        ("\u{1B}[?62;4;22c", [.answer(.attributes(hasSixel: true))]),
        ("\u{1B}[?4;22c", [.answer(.attributes(hasSixel: false))]),
        ("\u{1B}[6;20;10t", [.answer(.cell(CellSize(width: 10, height: 20)))]),
        ("\u{1B}[6;0;10t", []), ("\u{1B}[6;9999;9999t", [.answer(.cell(CellSize(width: 9_999, height: 9_999)))]),
        ("\u{1B}[6;10000;10t", []), ("\u{1B}[6;9223372036854775807;9223372036854775807t", []),
        ("\u{1B}[<0;-9223372036854775808;1M", []),
        ("\u{1B}[<0;9999;9999M", [.mouse(.press(column: 9_998, row: 9_998))]),
        ("\u{1B}]11;rgb:ffff/8080/0000\u{1B}\\", [.answer(.background(RGB(255, 128, 0)))]),
        ("\u{1B}]11;rgb:f/8/0\u{07}", [.answer(.background(RGB(255, 136, 0)))]),
        ("\u{1B}]11;rgb:ff/zz/00\u{07}", []),
        ("\u{1B}_Gi=31;OK\u{1B}\\", [.answer(.kittyGraphics)]),
        ("\u{1B}_Gi=31;EINVAL\u{1B}\\", []),
        ("\u{1B}[200~q\u{1B}[A\u{1B}[201~x", [.key(.character("x"))]),
        ("\u{1B}xq", [.key(.character("q"))]),
        ("\u{1B}\u{1B}[A", [.key(.escape), .key(.up)]),
    ]

    @Test(arguments: cases) func `bytes have their meaning, however they are split`(text: String, inputs: [Input]) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            var parser = InputParser()
            #expect(parser.parse(bytes[..<split]) + parser.parse(bytes[split...]) == inputs, "\(split)")
            #expect(!parser.isWaiting)
        }
        var parser = InputParser()
        #expect(bytes.flatMap { parser.parse([$0]) } == inputs)
    }

    @Test func `a lone escape is a key when nothing follows`() {
        var parser = InputParser()
        #expect(parser.parse([0x1B]).isEmpty && parser.isWaiting)
        #expect(parser.flush() == [.key(.escape)])
        #expect(!parser.isWaiting && parser.flush().isEmpty)
    }

    @Test func `a sequence that ends too early is no key`() {
        var parser = InputParser()
        #expect(parser.parse("\u{1B}[1".utf8).isEmpty)
        #expect(parser.flush().isEmpty && !parser.isWaiting)
    }

    @Test(arguments: [0, 1]) func `a sequence over the limit is dropped`(over: Int) {
        var parser = InputParser()
        let text = "\u{1B}]" + String(repeating: "x", count: InputParser.longestSequence - 2 + over)
        #expect(parser.parse(text.utf8).isEmpty)
        #expect(parser.isWaiting == (over == 0))
    }

    @Test(arguments: 0..<UInt64(ModelSeeds.count(usual: 50))) func `any bytes are accepted`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var parser = InputParser()
        let likely = Array("\u{1B}[]_O<?;0123456789MmcAt~\\\u{07}áq".utf8)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? likely.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            _ = parser.parse(bytes)
        }
        _ = parser.flush()
        // Whatever was pasted, the end of a paste is understood.
        #expect(parser.parse("\u{1B}[201~q".utf8) == [.key(.character("q"))])
    }
}
