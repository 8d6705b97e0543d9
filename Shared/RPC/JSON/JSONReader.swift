/// A strict pull parser: RFC 8259 narrowed as in I-JSON (RFC 7493).
///
/// Whatever is read or skipped is also checked, so a caller that has walked a value knows that all of it is valid UTF-8
/// and valid JSON, without duplicate members, lone surrogates, trailing commas or nesting over `maximumDepth`.
///
/// A reader borrows memory: it never leaves the closure of `RawJSON.read` that made it.
public struct JSONReader {
    /// How deep arrays and objects may lie in one another. Bounds the recursion of `skipValue`.
    public static let maximumDepth = 64

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depth = 0

    /// Whether object shapes refuse members that they do not declare: so in the parameters of a request, where an unknown
    /// member is a misunderstanding, and not elsewhere, where it is a newer version's.
    let refusesUnknownMembers: Bool

    /// The bytes that stand beside the message; borrowed as the text is.
    let attachments: UnsafeBufferPointer<Attachment>?

    /// The member names of the objects that are open, for finding duplicates; each object owns the tail from its start.
    private var openNames: [MemberName] = []

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, refusesUnknownMembers: Bool = false,
        attachments: UnsafeBufferPointer<Attachment>? = nil
    ) {
        self.bytes = bytes
        self.refusesUnknownMembers = refusesUnknownMembers
        self.attachments = attachments
    }

    /// The same text, read from `position`, where a value lies.
    func at(_ position: Int) -> JSONReader {
        var reader = self
        reader.position = position
        return reader
    }

    // MARK: Structure

    /// The kind of the next value, judged by its first byte.
    enum Token {
        case object, array, string, number, literal
    }

    mutating func peek() throws(JSONError) -> Token {
        skipWhitespace()
        guard let first = current else { throw syntax("the text ends where a value should be") }
        switch first {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .literal
        default: throw syntax("a value cannot begin here")
        }
    }

    /// Walks the next object; `member` must consume the value of the name that it is given.
    mutating func object(_ member: (inout JSONReader, MemberName) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "{"), "an object")
        let firstName = openNames.count
        var overflow: Set<[UInt8]> = []
        if !consume(UInt8(ascii: "}")) {
            repeat {
                let name = try memberName()
                try refuseDuplicate(name, since: firstName, overflow: &overflow)
                try member(&self, name)
            } while try continues(until: UInt8(ascii: "}"))
        }
        openNames.removeSubrange(firstName...)
        depth -= 1
    }

    /// Walks the next array; `element` must consume the value at the index that it is given.
    mutating func array(_ element: (inout JSONReader, Int) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "["), "an array")
        var index = 0
        if !consume(UInt8(ascii: "]")) {
            repeat {
                skipWhitespace()
                try element(&self, index)
                index += 1
            } while try continues(until: UInt8(ascii: "]"))
        }
        depth -= 1
    }

    /// Checks the next value, whatever it is, and answers where it lies.
    @discardableResult
    mutating func skipValue() throws(JSONError) -> Range<Int> {
        let token = try peek()
        let start = position
        switch token {
        case .object: try object { reader, _ throws(JSONError) in try reader.skipValue() }
        case .array: try array { reader, _ throws(JSONError) in try reader.skipValue() }
        case .string: _ = try scanString()
        case .number: _ = try scanNumber()
        case .literal: try scanLiteral()
        }
        return start..<position
    }

    /// Checks that nothing but white space follows.
    mutating func end() throws(JSONError) {
        skipWhitespace()
        if position < bytes.count { throw syntax("a second value follows the first") }
    }

    // MARK: Scalars

    mutating func string() throws(JSONError) -> String {
        guard try peek() == .string else { throw mismatch("must be a string") }
        return decode(try scanString())
    }

    /// A whole number of −2^63 … 2^63−1, exactly; `1.0` and `1e2` are whole numbers too.
    mutating func integer() throws(JSONError) -> Int {
        guard try peek() == .number else { throw mismatch("must be an integer") }
        let (range, isInteger) = try scanNumber()
        let text = String(decoding: bytes[range], as: UTF8.self)
        if let value = isInteger ? Int(text) : WholeNumber.parse(text) { return value }
        throw mismatch("must be an integer within 64 bits, is \(text.prefix(40))")
    }

    mutating func boolean() throws(JSONError) -> Bool {
        guard try peek() == .literal else { throw mismatch("must be true or false") }
        let start = position
        try scanLiteral()
        switch position - start {
        case 4 where bytes[start] == UInt8(ascii: "t"): return true
        case 5: return false
        default: throw mismatch("must be true or false")
        }
    }

    /// Consumes a `null`, if that is what comes next.
    mutating func null() throws(JSONError) -> Bool {
        guard try peek() == .literal, bytes[position] == UInt8(ascii: "n") else { return false }
        try scanLiteral()
        return true
    }

    // MARK: Names and strings

    /// A string in the text as it stands there: the range between its quotes.
    struct MemberName {
        let range: Range<Int>
        let hasEscapes: Bool
    }

    func decode(_ string: MemberName) -> String {
        string.hasEscapes
            ? StringEscapes.decode(bytes[string.range])
            : String(decoding: bytes[string.range], as: UTF8.self)
    }

    func matches(_ name: MemberName, _ other: [UInt8]) -> Bool {
        if name.hasEscapes { return decode(name).utf8.elementsEqual(other) }
        return name.range.count == other.count && bytes[name.range].elementsEqual(other)
    }

    private mutating func memberName() throws(JSONError) -> MemberName {
        skipWhitespace()
        guard current == UInt8(ascii: "\"") else { throw syntax("a member name in quotes should be here") }
        let name = try scanString()
        skipWhitespace()
        guard consume(UInt8(ascii: ":")) else { throw syntax("a colon should be here") }
        return name
    }

    /// Objects with more members than this are checked with a set instead of by comparing each with each.
    private static let namesComparedOneByOne = 32

    private mutating func refuseDuplicate(
        _ name: MemberName, since first: Int, overflow: inout Set<[UInt8]>
    ) throws(JSONError) {
        let count = openNames.count - first
        let isDuplicate: Bool
        if count < Self.namesComparedOneByOne {
            isDuplicate = openNames[first...].contains { isSame($0, name) }
            openNames.append(name)
        } else {
            // Strings are equal where their characters are, JSON names only where their code points are.
            if overflow.isEmpty { overflow.formUnion(openNames[first...].map { Array(decode($0).utf8) }) }
            isDuplicate = !overflow.insert(Array(decode(name).utf8)).inserted
        }
        if isDuplicate { throw syntax("the member \"\(decode(name).prefix(64))\" appears twice") }
    }

    private func isSame(_ a: MemberName, _ b: MemberName) -> Bool {
        if a.hasEscapes || b.hasEscapes { return decode(a).utf8.elementsEqual(decode(b).utf8) }
        return a.range.count == b.range.count && bytes[a.range].elementsEqual(bytes[b.range])
    }

    // MARK: Scanning

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        skipWhitespace()
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func open(_ bracket: UInt8, _ what: String) throws(JSONError) {
        _ = try peek()
        guard bytes[position] == bracket else { throw mismatch("must be \(what)") }
        guard depth < Self.maximumDepth else { throw syntax("nesting is deeper than \(Self.maximumDepth)") }
        depth += 1
        position += 1
    }

    private mutating func continues(until bracket: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        switch current {
        case UInt8(ascii: ","):
            position += 1
            return true
        case bracket:
            position += 1
            return false
        case nil: throw syntax("the text ends inside an array or object")
        default: throw syntax("a comma or a closing bracket should be here")
        }
    }

    // MARK: Errors

    func syntax(_ reason: String) -> JSONError { .syntax(reason: reason, offset: position) }

    func mismatch(_ reason: String) -> JSONError { .mismatch(path: "", reason: reason) }
}
