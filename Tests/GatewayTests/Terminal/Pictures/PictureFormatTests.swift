import Foundation
import RPCTestKit
import Testing

@testable import gateway

/// What is written for a picture.
struct PictureFormatTests {
    @Test func `half blocks show two rows of pixels in a line`() {
        let pixels = Pixels(
            width: 2, height: 3, bytes: [255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 0, 255, 0, 9, 9, 9])
        #expect(
            HalfBlocks.lines(pixels, depth: .full) == [
                "\u{1B}[38;2;255;0;0;48;2;0;0;255m▀▀", "\u{1B}[38;2;0;255;0m▀\u{1B}[38;2;9;9;9m▀",
            ])
        #expect(HalfBlocks.lines(pixels, depth: .palette)[0] == "\u{1B}[38;5;196;48;5;21m▀▀")
    }

    @Test(
        arguments: [
            (RGB(0, 0, 0), 16), (RGB(255, 255, 255), 231), (RGB(47, 48, 114), 23), (RGB(115, 155, 255), 111),
        ] as [(RGB, Int)])
    func `the palette has the nearest colour of its cube`(color: RGB, index: Int) {
        #expect(ColorDepth.index(of: color) == index)
    }

    @Test(arguments: [
        (["TERM": "xterm-256color"], ColorDepth.palette), (["COLORTERM": "truecolor"], .full),
        (["TERM": "xterm-kitty"], .full),
        ([:], .palette),
    ])
    func `the depth of colours follows the environment`(environment: [String: String], depth: ColorDepth) {
        #expect(ColorDepth(environment: environment) == depth)
    }

    @Test(arguments: [
        (0, 1), (KittyGraphics.chunk / 4 * 3, 1), (KittyGraphics.chunk / 4 * 3 + 1, 2), (10_000, 4),
    ])
    func `kitty gets a picture in chunks`(bytes: Int, count: Int) throws {
        let data = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0) })
        let chunks = KittyGraphics.store(data, id: 5).components(separatedBy: "\u{1B}\\").dropLast()
        #expect(chunks.count == count)
        #expect(chunks.first?.hasPrefix("\u{1B}_Ga=t,f=100,t=d,q=2,i=5,m=") == true)
        let parts = chunks.map { $0.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false) }
        #expect(parts.allSatisfy { $0[1].count <= KittyGraphics.chunk })
        #expect(parts.map { $0[0].hasSuffix("m=1") } == (1...count).map { $0 < count })
        #expect(Data(base64Encoded: parts.map { $0[1] }.joined()) == data)
    }

    @Test func `iTerm2 gets a picture with its size in cells`() {
        let sequence = InlineImage.sequence(Data("png".utf8), columns: 3, rows: 2)
        #expect(sequence.hasPrefix("\u{1B}]1337;File=inline=1;size=3;width=3;height=2;"))
        #expect(sequence.hasSuffix(":cG5n\u{07}"))
    }

    @Test(
        arguments: [
            (TerminalAnswers(kitty: true, sixel: true), [:], true, PictureProtocol.kitty),
            (TerminalAnswers(kitty: false, sixel: true), [:], true, .sixel),
            (TerminalAnswers(kitty: false, sixel: true), ["TERM_PROGRAM": "iTerm.app"], true, .iterm2),
            (TerminalAnswers(), ["LC_TERMINAL": "iTerm2", "TMUX": "/tmp/tmux"], true, .blocks),
            (TerminalAnswers(), ["LC_TERMINAL": "iTerm2", "TERM": "tmux-256color"], true, .blocks),
            (TerminalAnswers(), [:], true, .blocks), (TerminalAnswers(), [:], false, .none),
            (TerminalAnswers(kitty: false, sixel: true), [:], false, .sixel),
        ] as [(TerminalAnswers, [String: String], Bool, PictureProtocol)])
    func `the best announced protocol is chosen`(
        answers: TerminalAnswers, environment: [String: String], hasColors: Bool, expected: PictureProtocol
    ) {
        #expect(PictureProtocol(answers, environment: environment, hasColors: hasColors) == expected)
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "screen.xterm"], false), (["TERM": "xterm", "TMUX": "x"], false),
    ])
    func `a multiplexer is not asked for the graphics of kitty`(environment: [String: String], isAsked: Bool) {
        let query = TerminalAnswers.query(of: Terminal(environment: environment))
        #expect(query.contains(KittyGraphics.query) == isAsked && query.hasSuffix("\u{1B}[c"))
    }

    @Test(arguments: 0..<UInt64(ModelSeeds.count(usual: 20)))
    func `sixels have the picture's size and nearly its colours`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (width, height) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...20, using: &random))
        // One colour, so that dithering must reach it on average.
        let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let pixels = Pixels(
            width: width, height: height, bytes: Array(repeatElement(color, count: width * height).joined()))
        let drawn = try #require(SixelReader.read(try Sixel.sequence(pixels)))
        #expect(drawn.count == height && drawn.allSatisfy { $0.count == width })
        guard width * height >= 100 else { return }
        for component in 0..<3 {
            let sum = drawn.joined().reduce(0) { $0 + $1[component] }
            #expect(abs(sum / (width * height) - Int(color[component])) < 16)
        }
    }
}

extension TerminalAnswers {
    init(kitty: Bool, sixel: Bool) {
        self.init()
        (hasKittyGraphics, hasSixel) = (kitty, sixel)
    }
}

/// Draws sixels, as a terminal does.
private enum SixelReader {
    /// - Returns: rows of colours; nil for anything that `Sixel` does not use.
    static func read(_ sequence: String) -> [[[Int]]]? {
        guard sequence.hasPrefix("\u{1B}P0;1q\"1;1;"), sequence.hasSuffix("\u{1B}\\") else { return nil }
        var text = sequence.dropFirst("\u{1B}P0;1q\"1;1;".count).dropLast(2)
        func number() -> Int? {
            let digits = text.prefix(while: \.isNumber)
            text = text.dropFirst(digits.count)
            return Int(digits)
        }
        guard let width = number() else { return nil }
        text = text.dropFirst()
        guard let height = number() else { return nil }
        var palette: [Int: [Int]] = [:]
        var picture = [[[Int]?]](repeating: [[Int]?](repeating: nil, count: width), count: height)
        var (color, x, top, count) = (0, 0, 0, 1)
        while let character = text.popFirst() {
            switch character {
            case "#":
                guard let index = number() else { return nil }
                color = index
                guard text.hasPrefix(";2;") else { continue }
                text = text.dropFirst(3)
                palette[index] = (0..<3).compactMap { part in
                    defer { if part < 2 { text = text.dropFirst() } }
                    return number().map { $0 * 255 / 100 }
                }
            case "!": count = number() ?? 0
            case "$": x = 0
            case "-": (x, top) = (0, top + 6)
            default:
                guard let value = character.asciiValue, (63...126).contains(value), let shade = palette[color] else {
                    return nil
                }
                for _ in 0..<count {
                    for bit in 0..<6 where (value - 63) >> UInt8(bit) & 1 == 1 {
                        guard top + bit < height, x < width else { return nil }
                        picture[top + bit][x] = shade
                    }
                    x += 1
                }
                count = 1
            }
        }
        let drawn = picture.map { $0.compactMap(\.self) }
        return drawn
    }
}
