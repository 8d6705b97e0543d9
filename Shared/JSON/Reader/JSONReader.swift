/// A strict pull parser for JSON: RFC 8259, restricted by I-JSON (RFC 7493).
///
/// A checking reader validates everything that it reads or skips. A value that was walked completely is valid UTF-8 and
/// valid JSON, without duplicate members, lone surrogates, trailing commas or nesting deeper than `maximumDepth`. A
/// trusting reader can read such text again; it skips unneeded values without validating them.
///
/// A reader borrows memory: it must not escape the closure that it is passed to by `RawJSON.read` and `withUnsafeBytes`
/// functions. It owns nothing, so copies need no reference counting.
public struct JSONReader {
    /// The maximum nesting of arrays and objects. Bounds the recursion of `skipValue`.
    public static let maximumDepth = 64

    /// The maximum bytes of a number. Every `Double` has a spelling of at most 24, an exact one of at most 1,079.
    static let longestNumber = 2_048

    package let bytes: UnsafeBufferPointer<UInt8>
    package internal(set) var position: Int
    private var depth = 0

    /// Whether object codecs refuse undeclared members. True for the parameters of a request, where an unknown member
    /// is a mistake of the caller; false elsewhere, where it comes from a later version.
    let refusesUnknownMembers: Bool

    /// Whether an object may have several members with one name.
    private let allowsDuplicates: Bool

    /// The position of the tag member's name, which selected the alternative of a union; the alternative's codec does
    /// not declare it.
    var tagPosition = -1

    /// Whether the text is known to be valid.
    let isTrusting: Bool

    /// The attachments of the text, for codecs of values that refer to them. Borrowed like the text.
    package let attachments: UnsafeBufferPointer<any Sendable>?

    /// Makes a reader that validates the text.
    package init(checking bytes: UnsafeBufferPointer<UInt8>, allowsDuplicates: Bool = false) {
        self.allowsDuplicates = allowsDuplicates
        (self.bytes, position, isTrusting, refusesUnknownMembers, attachments) = (bytes, 0, false, false, nil)
    }

    /// Makes a reader for text that is known to be valid.
    /// - Parameter position: the position of the value to read.
    package init(
        trusting bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0, refusesUnknownMembers: Bool = false,
        attachments: UnsafeBufferPointer<any Sendable>? = nil
    ) {
        (self.bytes, self.position, isTrusting, allowsDuplicates) = (bytes, position, true, true)
        self.refusesUnknownMembers = refusesUnknownMembers
        self.attachments = attachments
    }

    // MARK: Structure

    /// The kind of a value, determined by its first byte.
    package enum Token {
        case object, array, string, number, literal
    }

    package mutating func peek() throws(JSONError) -> Token {
        skipWhitespace()
        guard let first = current else { throw syntax("the text ends where a value is expected") }
        switch first {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .literal
        default: throw syntax("a value cannot begin here")
        }
    }

    /// An object while its members are read.
    package struct OpenObject {
        fileprivate var names = MemberNames()
        fileprivate var isFirst = true
    }

    /// Enters the next value, which must be an object.
    package mutating func beginObject() throws(JSONError) -> OpenObject {
        try open(UInt8(ascii: "{"), "an object")
        return OpenObject()
    }

    /// Returns the name of the next member, or nil after the last. The member's value must be consumed before the next
    /// call.
    package mutating func nextMember(of object: inout OpenObject) throws(JSONError) -> MemberName? {
        guard try continues(&object.isFirst, until: UInt8(ascii: "}")) else { return nil }
        let name = try memberName()
        if !isTrusting, !allowsDuplicates, !object.names.insert(name, in: self) {
            throw syntax("the member \"\(decode(name, atMost: JSONError.longestName))\" appears twice")
        }
        return name
    }

    /// An array while its elements are read.
    package struct OpenArray {
        fileprivate var isFirst = true
        /// How many elements have begun.
        package fileprivate(set) var count = 0
    }

    /// Enters the next value, which must be an array.
    package mutating func beginArray() throws(JSONError) -> OpenArray {
        try open(UInt8(ascii: "["), "an array")
        return OpenArray()
    }

    /// Returns whether there is one more element, which must be consumed before the next call.
    package mutating func nextElement(of array: inout OpenArray) throws(JSONError) -> Bool {
        guard try continues(&array.isFirst, until: UInt8(ascii: "]")) else { return false }
        skipWhitespace()
        array.count += 1
        return true
    }

    /// Skips the next value and returns its range. An untrusted text is validated on the way.
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

    /// Verifies that only white space follows.
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

    /// Returns whether another member or element follows; otherwise closes the array or object.
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
        default: throw syntax("a comma or a closing bracket is expected")
        }
    }

    // MARK: Names

    private mutating func memberName() throws(JSONError) -> MemberName {
        skipWhitespace()
        guard current == UInt8(ascii: "\"") else { throw syntax("a member name in quotes is expected") }
        let name = try scanString()
        skipWhitespace()
        guard current == UInt8(ascii: ":") else { throw syntax("a colon is expected") }
        position += 1
        return name
    }
}
