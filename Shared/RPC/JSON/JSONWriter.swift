import NIOCore

/// Writes compact JSON at the end of a buffer. Commas come by themselves; the caller balances the brackets.
public struct JSONWriter {
    package private(set) var buffer: ByteBuffer
    private var needsComma = false

    /// - Parameter buffer: what the text is added to; its present bytes stay.
    package init(appendingTo buffer: ByteBuffer = ByteBuffer()) { self.buffer = buffer }

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
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
        buffer.writeInteger(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped($0) }
        buffer.writeInteger(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func integer(_ value: Int) {
        literal(String(value))
    }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    package mutating func null() { literal("null") }

    package mutating func raw(_ value: RawJSON) {
        separate()
        buffer.writeImmutableBuffer(value.text)
        needsComma = true
    }

    /// A member name that was encoded before, with its quotes.
    mutating func name(encoded: [UInt8]) {
        separate()
        buffer.writeBytes(encoded)
        colon()
    }

    /// ASCII that needs no escapes, in quotes.
    mutating func plainString(_ bytes: some Collection<UInt8>) {
        separate()
        buffer.writeInteger(UInt8(ascii: "\""))
        buffer.writeBytes(bytes)
        buffer.writeInteger(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func literal(_ text: String) {
        separate()
        buffer.writeString(text)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { buffer.writeInteger(UInt8(ascii: ",")) }
    }

    private mutating func colon() {
        buffer.writeInteger(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        buffer.writeInteger(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        buffer.writeInteger(bracket)
        needsComma = true
    }

    private mutating func writeEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        var written = 0
        var index = PlainASCII.end(in: utf8, from: 0)
        while index < utf8.count {
            if utf8[index] < 0x80 {
                buffer.writeBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[written..<index]))
                writeEscape(utf8[index])
                written = index + 1
            }
            index = PlainASCII.end(in: utf8, from: index + 1)
        }
        buffer.writeBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8)[written...]))
    }

    private mutating func writeEscape(_ byte: UInt8) {
        buffer.writeInteger(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: buffer.writeInteger(UInt8(ascii: "b"))
        case 0x09: buffer.writeInteger(UInt8(ascii: "t"))
        case 0x0A: buffer.writeInteger(UInt8(ascii: "n"))
        case 0x0C: buffer.writeInteger(UInt8(ascii: "f"))
        case 0x0D: buffer.writeInteger(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.writeInteger(byte)
        default: buffer.writeString("u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        }
    }
}
