/// Writes compact JSON at the end of a buffer. Commas come by themselves; the caller balances the brackets.
public struct JSONWriter {
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    /// What is to stand beside the text, as its codecs have it; nil when everything must be in the text.
    package private(set) var attachments: [any Sendable]?

    /// - Parameters:
    ///   - bytes: what the text is added to; they stay.
    ///   - takesAttachments: whether anything may stand beside the text.
    package init(appendingTo bytes: [UInt8] = [], takesAttachments: Bool = false) {
        self.bytes = bytes
        attachments = takesAttachments ? [] : nil
    }

    /// Puts a value beside the text.
    /// - Returns: its place; nil when it must be in the text.
    @discardableResult
    package mutating func attach(_ attachment: any Sendable) -> Int? {
        guard let count = attachments?.count else { return nil }
        attachments?.append(attachment)
        return count
    }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an object with one more member before those that `object` writes.
    /// - Parameter member: name and value, encoded.
    mutating func object(beginningWith member: [UInt8], _ object: (inout JSONWriter) -> Void) {
        let start = bytes.count + (needsComma ? 1 : 0)
        object(&self)
        let isEmpty = bytes[start + 1] == UInt8(ascii: "}")
        bytes.insert(contentsOf: isEmpty ? member : member + [UInt8(ascii: ",")], at: start + 1)
    }

    package mutating func array<Element>(_ elements: [Element], _ element: (Element, inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        for value in elements { element(value, &self) }
        close(UInt8(ascii: "]"))
    }

    package mutating func name(_ name: String) {
        string(name)
        colon()
    }

    package mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func integer(_ value: Int) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        // The digits come last first, and are turned round where they stand.
        var first = bytes.count
        var rest = value.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var last = bytes.count - 1
        while first < last {
            bytes.swapAt(first, last)
            (first, last) = (first + 1, last - 1)
        }
        needsComma = true
    }

    /// JSON has no NaN and no infinities. They become `null`, which no reader takes for a number.
    package mutating func number(_ value: Double) { literal(value.shortest ?? "null") }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    package mutating func null() { literal("null") }

    package mutating func raw(_ value: RawJSON) {
        separate()
        bytes.append(contentsOf: value.bytes)
        needsComma = true
    }

    /// Text that was encoded before and ends before a value: the beginning of an object, or a comma and a name.
    package mutating func beginning(encoded: [UInt8]) {
        bytes.append(contentsOf: encoded)
        needsComma = false
    }

    /// Ends an object whose beginning was encoded before.
    package mutating func endObject() { close(UInt8(ascii: "}")) }

    /// A member name that was encoded before, with its quotes.
    package mutating func name(encoded: [UInt8]) {
        separate()
        bytes.append(contentsOf: encoded)
        colon()
    }

    /// ASCII that needs no escapes, in quotes.
    package mutating func plainString(_ characters: some Collection<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: characters)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func colon() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func writeEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        var written = 0
        var index = StringBytes.endOfPlain(in: utf8, from: 0)
        while index < utf8.count {
            if utf8[index] < 0x80 {
                bytes.append(contentsOf: utf8[written..<index])
                writeEscape(utf8[index])
                written = index + 1
            }
            index = StringBytes.endOfPlain(in: utf8, from: index + 1)
        }
        bytes.append(contentsOf: utf8[written...])
    }

    private mutating func writeEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default: bytes.append(contentsOf: ("u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)).utf8)
        }
    }
}
