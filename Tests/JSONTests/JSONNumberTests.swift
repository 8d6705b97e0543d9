import JSON
import RPCTestKit
import Testing

struct JSONNumberTests {
    @Test(
        arguments: [
            "01", "00", "-01", "1.", ".5", "-.5", "+1", "1.e1", "1e", "1e+", "1E-", "0x10", "1_000", "1,000", "--1",
            "- 1",
            "1.5.3", "1e5.3", "0.", "-", "1e1e1", "1a", "\u{661}", "\u{FF11}", "1..2", "-e1", "2.e+3",
        ])
    func `a number in any other syntax is refused`(text: String) {
        #expect(throws: JSONError.self) { try RawJSON(checking: text) }
        #expect(throws: JSONError.self) { try RawJSON(checking: "[\(text)]").read(as: .array(of: .integer())) }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("10", 10), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("9007199254740993", 9_007_199_254_740_993), ("1.0", 1), ("1e2", 100),
            ("1E+2", 100), ("-1.50e1", -15), ("100e-2", 1), ("0e0", 0), ("0.0", 0), ("-0.0", 0), ("0e999", 0),
            ("0.0e-999", 0),
            ("9223372036854775807.0", .max), ("9007199254740993.0", 9_007_199_254_740_993),
            ("9223372036854775807e0", .max),
            ("-9223372036854775808.000", .min), ("92233720368547758.07e2", .max), ("1e18", 1_000_000_000_000_000_000),
            ("0.00000000000000000001e20", 1), ("10000000000000000000000e-22", 1),
            ("0e99999999999999999999999", 0),
        ] as [(String, Int)])
    func `a whole number within 64 bits is read exactly`(text: String, value: Int) throws {
        #expect(try RawJSON(checking: text).read(as: .integer()) == value)
    }

    @Test(
        arguments: [
            "9223372036854775808", "-9223372036854775809", "9223372036854775808.0", "1e19", "1e400", "-1e400", "1.5",
            "0.1",
            "1e-1", "99999999999999999999999999", "0.99999999999999999999", "1.00000000000000000001", "1e-400",
            "1e99999999999999999999999", "1e-99999999999999999999999", "9223372036854775807.5",
            "1e-9223372036854775808",
            "0.1e-9223372036854775808", "1e9223372036854775807",
        ])
    func `a number that is not an integer within 64 bits is valid JSON, but refused`(text: String) throws {
        let json = try RawJSON(checking: text)
        let error = #expect(throws: JSONError.self) { try json.read(as: .integer()) }
        guard case .mismatch("", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["\"1\"", "true", "null", "[1]", "{}"])
    func `a value that is not a number is not an integer`(text: String) throws {
        let json = try RawJSON(checking: text)
        #expect(throws: JSONError.refused("must be an integer")) { try json.read(as: .integer()) }
    }

    @Test func `every integer survives being written and read`() throws {
        var generator = SeededRandom(seed: 1)
        for _ in 0..<1_000 {
            let value = Int.random(in: .min ... .max, using: &generator) >> Int.random(in: 0..<64, using: &generator)
            #expect(try RawJSON(value, as: .integer()).read(as: .integer()) == value)
        }
    }
}
