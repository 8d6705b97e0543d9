/// A strict pull parser: RFC 8259 narrowed as in I-JSON (RFC 7493).
///
/// What a reader of text from outside reads or skips is also checked, so a caller that has walked a value knows that all
/// of it is valid UTF-8 and valid JSON, without duplicate members, lone surrogates, trailing commas or nesting over
/// `maximumDepth`. Such text can be read again by a reader that trusts it, which steps over what nobody wants to see.
///
/// A reader borrows memory: it never leaves the closure that made it, which `RawJSON.read` and `withUnsafeBytes` functions call. It owns
/// nothing, so that copying one is free of reference counting.
public struct JSONReader {
    /// How deep arrays and objects may lie in one another. Bounds the recursion of `skipValue`.
    public static let maximumDepth = 64

    package let bytes: UnsafeBufferPointer<UInt8>
    package internal(set) var position: Int
    private var depth = 0

    /// Whether object codecs refuse members that they do not declare: so in the parameters of a request, where an unknown
    /// member is a misunderstanding, and not elsewhere, where it is a newer version's.
    let refusesUnknownMembers: Bool

    /// Where the name of the member stands by which a union has chosen one of its alternatives, which does not declare it.
    var tagPosition = -1

    /// Whether the text was checked before.
    let isTrusting: Bool

    /// What stands beside the text, for codecs of values that point to it; nothing here looks into it. Borrowed as the text
    /// is.
    package let attachments: UnsafeBufferPointer<any Sendable>?

    /// For text from outside.
    package init(checking bytes: UnsafeBufferPointer<UInt8>) {
        (self.bytes, position, isTrusting, refusesUnknownMembers, attachments) = (bytes, 0, false, false, nil)
    }

    /// For text that was checked before.
    /// - Parameter position: where the value lies that is to be read.
    package init(
        trusting bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0, refusesUnknownMembers: Bool = false,
        attachments: UnsafeBufferPointer<any Sendable>? = nil
    ) {
        (self.bytes, self.position, isTrusting) = (bytes, position, true)
        self.refusesUnknownMembers = refusesUnknownMembers
        self.attachments = attachments
    }

    // MARK: Structure

    /// The kind of the next value, judged by its first byte.
    package enum Token {
        case object, array, string, number, literal
    }

    package mutating func peek() throws(JSONError) -> Token {
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

    /// An object whose members are being walked.
    package struct OpenObject {
        fileprivate var names = MemberNames()
        fileprivate var isFirst = true
    }

    /// Steps into the next value, which must be an object.
    package mutating func beginObject() throws(JSONError) -> OpenObject {
        try open(UInt8(ascii: "{"), "an object")
        return OpenObject()
    }

    /// The name of the next member, whose value must be consumed before the one after it; nil past the last.
    package mutating func nextMember(of object: inout OpenObject) throws(JSONError) -> MemberName? {
        guard try continues(&object.isFirst, until: UInt8(ascii: "}")) else { return nil }
        let name = try memberName()
        if !isTrusting, !object.names.insert(name, in: self) {
            throw syntax("the member \"\(decode(name).prefix(64))\" appears twice")
        }
        return name
    }

    /// An array whose elements are being walked.
    package struct OpenArray {
        fileprivate var isFirst = true
        /// How many elements were begun.
        package fileprivate(set) var count = 0
    }

    /// Steps into the next value, which must be an array.
    package mutating func beginArray() throws(JSONError) -> OpenArray {
        try open(UInt8(ascii: "["), "an array")
        return OpenArray()
    }

    /// Whether there is one more element, which must be consumed before the one after it.
    package mutating func nextElement(of array: inout OpenArray) throws(JSONError) -> Bool {
        guard try continues(&array.isFirst, until: UInt8(ascii: "]")) else { return false }
        skipWhitespace()
        array.count += 1
        return true
    }

    /// Steps over the next value, whatever it is, and answers where it lies. Text from outside is checked on the way.
    @discardableResult
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        let token = try peek()
        let start = position
        switch token {
        case .string: _ = try scanString()
        case .number: _ = try scanNumber()
        case .literal: try scanLiteral()
        case .object where isTrusting, .array where isTrusting: try scanBrackets()
        case .object:
            var object = try beginObject()
            while try nextMember(of: &object) != nil { try skipValue() }
        case .array:
            var array = try beginArray()
            while try nextElement(of: &array) { try skipValue() }
        }
        return start..<position
    }

    /// Checks that nothing but white space follows.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        if position < bytes.count { throw syntax("a second value follows the first") }
    }

    private mutating func open(_ bracket: UInt8, _ what: StaticString) throws(JSONError) {
        _ = try peek()
        guard bytes[position] == bracket else { throw .refused("must be \(what)") }
        guard depth < Self.maximumDepth else { throw syntax("nesting is deeper than \(Self.maximumDepth)") }
        depth += 1
        position += 1
    }

    /// Whether something follows inside the array or object that is open; else it is closed.
    private mutating func continues(_ isFirst: inout Bool, until bracket: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        switch current {
        case bracket:
            position += 1
            depth -= 1
            return false
        case _ where isFirst:
            isFirst = false
            return true
        case UInt8(ascii: ","):
            position += 1
            return true
        case nil: throw syntax("the text ends inside an array or object")
        default: throw syntax("a comma or a closing bracket should be here")
        }
    }

    // MARK: Names

    private mutating func memberName() throws(JSONError) -> MemberName {
        skipWhitespace()
        guard current == UInt8(ascii: "\"") else { throw syntax("a member name in quotes should be here") }
        let name = try scanString()
        skipWhitespace()
        guard current == UInt8(ascii: ":") else { throw syntax("a colon should be here") }
        position += 1
        return name
    }
}
