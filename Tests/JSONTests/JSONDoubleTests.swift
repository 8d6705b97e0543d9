import Foundation
import JSON
import RPCTestKit
import Testing

struct JSONDoubleTests {
    @Test(
        arguments: [
            ("0", 0), ("0.7", 0.7), ("-0.7", -0.7), ("1", 1), ("100", 100), ("1e2", 100), ("1E+2", 100),
            ("12.5e-1", 1.25),
            ("0.1", 0.1), ("123456789.123456789", 123_456_789.123456789), ("9007199254740993", 9_007_199_254_740_992),
            ("9007199254740993.0000000000000000000001", 9_007_199_254_740_994),
            ("0.30000000000000004", 0.1 + 0.2), ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown),
            ("5e-324", .leastNonzeroMagnitude), ("1.7976931348623157e308", .greatestFiniteMagnitude),
            // Rounds to the largest value, though it is slightly above it.
            ("1.797693134862315807e308", .greatestFiniteMagnitude), ("1e-400", 0), ("0e999", 0),
            ("123456789012345678901234567890", 123_456_789_012_345_678_901_234_567_890.0),
        ] as [(String, Double)])
    func `a number is read as the nearest Double`(text: String, value: Double) throws {
        #expect(try RawJSON(checking: text).read(as: .number()) == value)
        #expect(try RawJSON(checking: "[ \(text) ]").read(as: .array(of: .number())) == [value])
    }

    @Test(arguments: ["-0", "-0.0", "-0e1", "-1e-400"]) func `zero keeps its sign`(text: String) throws {
        let zero = try RawJSON(checking: text).read(as: .number())
        #expect(zero == 0 && zero.sign == .minus)
        #expect(RawJSON(zero, as: .number()).description == "-0")
    }

    @Test(arguments: ["1e309", "-1e309", "1.797693134862315808e308", "1e99999999999999999999", "9e99999"])
    func `a number beyond the range of a Double is JSON, but refused`(text: String) throws {
        let json = try RawJSON(checking: "{\"a\":[\(text)]}")
        #expect(
            throws: JSONError.mismatch(
                path: "a[0]", reason: "must be a number within the range of a Double, is \(text)")
        ) { try json.read(as: .dictionary(of: .array(of: .number()))) }
    }

    @Test(arguments: ["\"1\"", "true", "null", "[1]", "{}"]) func `a value that is not a number is refused`(
        text: String
    ) throws {
        let json = try RawJSON(checking: text)
        #expect(throws: JSONError.refused("must be a number")) { try json.read(as: .number()) }
    }

    @Test(
        arguments: [
            (0, "0"), (0.7, "0.7"), (-0.7, "-0.7"), (100, "100"), (1e15, "1000000000000000"), (1e16, "1e+16"),
            (1e-5, "1e-05"), (0.1 + 0.2, "0.30000000000000004"), (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ] as [(Double, String)])
    func `a number is written with the fewest digits that preserve its value`(value: Double, text: String) throws {
        #expect(RawJSON(value, as: .number()).description == text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
    func `NaN and infinities are written as null, which is refused`(value: Double) throws {
        let json = RawJSON([value], as: .array(of: .number()))
        #expect(json.description == "[null]")
        #expect(throws: JSONError.mismatch(path: "[0]", reason: "must be a number")) {
            try json.read(as: .array(of: .number()))
        }
    }

    @Test(arguments: [(-0.5, true), (1.5, true), (0, true), ((-0.5).nextDown, false), (1.5.nextUp, false), (7, false)])
    func `a number is accepted at its bounds and refused beyond`(value: Double, isAccepted: Bool) throws {
        let json = try RawJSON(checking: RawJSON(value, as: .number()).description)
        if isAccepted {
            #expect(try json.read(as: .number(-0.5...1.5)) == value)
        } else {
            #expect(throws: JSONError.refused("must be from -0.5 to 1.5, is \(json)")) {
                try json.read(as: .number(-0.5...1.5))
            }
        }
    }

    @Test func `every finite Double survives being written and read, here and by Foundation`() async throws {
        try await apart {
            var random = SeededRandom(seed: 7)
            for _ in 0..<20_000 {
                let value = Double(bitPattern: random.next())
                guard value.isFinite else { continue }
                let json = try RawJSON(checking: RawJSON([value], as: .array(of: .number())).description)
                #expect(try json.read(as: .array(of: .number())).map(\.bitPattern) == [value.bitPattern])
                let foundation = try JSONDecoder().decode([Double].self, from: Data(json.description.utf8))
                #expect(foundation == [value])
            }
        }
    }

    @Test func `every integer that a Double represents exactly is read unchanged`() throws {
        var random = SeededRandom(seed: 8)
        for _ in 0..<1_000 {
            let value = Int.random(in: -(1 << 53)...1 << 53, using: &random)
            #expect(try RawJSON(value, as: .integer()).read(as: .number()) == Double(value))
            #expect(try RawJSON(Double(value), as: .number()).read(as: .integer()) == value)
        }
    }
}
