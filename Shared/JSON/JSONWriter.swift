/// Writes compact JSON into borrowed memory while the text fits, and then into memory of its own. It inserts commas;
/// the caller balances the brackets.
public struct JSONWriter: ~Copyable {
    // Not an array, so that a byte costs one comparison: every access follows a `reserve`.
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var ownsMemory: Bool
    private var needsComma = false

    /// The length of the text.
    package private(set) var count = 0

    /// The attachments of the text; nil when all values must be in the text.
    package private(set) var attachments: [any Sendable]?

    package init() {
        self.init(in: UnsafeMutableRawBufferPointer(start: nil, count: 0), takesAttachments: false)
    }

    /// - Parameters:
    ///   - memory: borrowed for the lifetime of the writer.
    ///   - takesAttachments: whether values may become attachments.
    package init(in memory: UnsafeMutableRawBufferPointer, takesAttachments: Bool) {
        let lent = memory.assumingMemoryBound(to: UInt8.self).baseAddress
        (self.memory, capacity) = (
            lent ?? .allocate(capacity: Self.leastCapacity), lent == nil ? Self.leastCapacity : memory.count
        )
        ownsMemory = lent == nil
        attachments = takesAttachments ? [] : nil
    }

    deinit { if ownsMemory { memory.deallocate() } }

    /// A copy of the text.
    package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: memory, count: count)) }

    /// Transfers ownership of a text that did not fit into the borrowed memory; nil if it fitted. The caller
    /// deallocates it.
    package mutating func takeMovedText() -> UnsafeMutableRawBufferPointer? {
        guard ownsMemory else { return nil }
        ownsMemory = false
        return UnsafeMutableRawBufferPointer(start: memory, count: count)
    }

    /// Adds an attachment.
    /// - Returns: its index; nil when the value must be in the text.
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

    /// Writes an object with one more member in front of those that `object` writes.
    /// - Parameter member: the encoded name and value.
    mutating func object(beginningWith member: [UInt8], _ object: (inout JSONWriter) -> Void) {
        let start = count + (needsComma ? 1 : 0)
        object(&self)
        let isEmpty = memory[start + 1] == UInt8(ascii: "}")
        let inserted = isEmpty ? member : member + [UInt8(ascii: ",")]
        reserve(inserted.count)
        (memory + start + 1 + inserted.count).update(from: memory + start + 1, count: count - start - 1)
        for (offset, byte) in inserted.enumerated() { memory[start + 1 + offset] = byte }
        count += inserted.count
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
        append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { writeEscaped($0) }
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func integer(_ value: Int) {
        separate()
        reserve(20)
        if value < 0 { put(UInt8(ascii: "-")) }
        // Digits are produced from the last to the first, then reversed in place.
        var first = count
        var rest = value.magnitude
        repeat {
            put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var last = count - 1
        while first < last {
            swap(&memory[first], &memory[last])
            (first, last) = (first + 1, last - 1)
        }
        needsComma = true
    }

    /// JSON has no NaN and no infinities. They become `null`, which no reader accepts as a number.
    package mutating func number(_ value: Double) { literal(value.shortest ?? "null") }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

    package mutating func null() { literal("null") }

    package mutating func raw(_ value: RawJSON) {
        separate()
        value.bytes.withUnsafeBufferPointer { append($0) }
        needsComma = true
    }

    /// Writes encoded text that precedes a value: the beginning of an object, or a comma and a name.
    package mutating func beginning(encoded: [UInt8]) {
        encoded.withUnsafeBufferPointer { append($0) }
        needsComma = false
    }

    /// Ends an object whose beginning was written with `beginning(encoded:)`.
    package mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Writes a member name that is already encoded, with its quotes.
    package mutating func name(encoded: [UInt8]) {
        separate()
        encoded.withUnsafeBufferPointer { append($0) }
        colon()
    }

    /// Writes ASCII characters that need no escapes, in quotes.
    package mutating func plainString(_ characters: some Collection<UInt8>) {
        separate()
        append(UInt8(ascii: "\""))
        let wasContiguous: Void? = characters.withContiguousStorageIfAvailable { append($0) }
        if wasContiguous == nil { for character in characters { append(character) } }
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func literal(_ text: String) {
        separate()
        append(text)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    private mutating func colon() {
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        append(bracket)
        needsComma = true
    }

    private mutating func writeEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
        var written = 0
        var index = StringBytes.endOfPlain(in: utf8, from: 0)
        while index < utf8.count {
            if utf8[index] < 0x80 {
                append(UnsafeBufferPointer(rebasing: utf8[written..<index]))
                writeEscape(utf8[index])
                written = index + 1
            }
            index = StringBytes.endOfPlain(in: utf8, from: index + 1)
        }
        append(UnsafeBufferPointer(rebasing: utf8[written...]))
    }

    private mutating func writeEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        default: append("u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        }
    }

    // MARK: Memory

    private static let leastCapacity = 256

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    /// Writes a byte into reserved memory.
    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        memory[count] = byte
        count += 1
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (memory + count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    private mutating func reserve(_ length: Int) {
        if capacity - count < length { grow(by: length) }
    }

    @inline(never)
    private mutating func grow(by length: Int) {
        capacity = max(2 * capacity, count + length + Self.leastCapacity)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: memory, count: count)
        if ownsMemory { memory.deallocate() }
        (memory, ownsMemory) = (larger, true)
    }
}
