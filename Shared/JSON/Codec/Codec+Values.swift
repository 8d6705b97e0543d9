import FoundationEssentials

extension Codec where Value == Int {
    /// A whole number within `range`.
    public static func integer(_ range: ClosedRange<Int> = .min ... .max) -> Codec {
        var schema = JSONSchema(type: "integer")
        if range.lowerBound != .min { schema["minimum"] = .integer(range.lowerBound) }
        if range.upperBound != .max { schema["maximum"] = .integer(range.upperBound) }
        return Codec(
            schema: schema,
            read: { reader throws(JSONError) in
                let value = try reader.integer()
                guard range.contains(value) else {
                    throw .refused("must be from \(range.lowerBound) to \(range.upperBound), is \(value)")
                }
                return value
            },
            write: { $1.integer($0) })
    }
}

extension Codec where Value == Double {
    /// A finite number within `range`, rounded to the nearest `Double`. Integers are accepted too.
    public static func number(
        _ range: ClosedRange<Double> = -.greatestFiniteMagnitude ... .greatestFiniteMagnitude
    ) -> Codec {
        precondition(range.lowerBound.isFinite && range.upperBound.isFinite, "the bounds of a number must be finite")
        var schema = JSONSchema(type: "number")
        if range.lowerBound != -.greatestFiniteMagnitude { schema["minimum"] = .number(range.lowerBound) }
        if range.upperBound != .greatestFiniteMagnitude { schema["maximum"] = .number(range.upperBound) }
        return Codec(
            schema: schema,
            read: { reader throws(JSONError) in
                let value = try reader.number()
                guard range.contains(value) else {
                    let (lower, upper) = (range.lowerBound.shortest ?? "", range.upperBound.shortest ?? "")
                    throw .refused("must be from \(lower) to \(upper), is \(value.shortest ?? "")")
                }
                return value
            },
            write: { $1.number($0) })
    }
}

extension Codec where Value == Bool {
    /// `true` or `false`.
    public static let boolean = Codec(
        schema: JSONSchema(type: "boolean"),
        read: { reader throws(JSONError) in try reader.boolean() },
        write: { $1.boolean($0) })
}

extension Codec where Value == String {
    /// Any string.
    public static let string = Codec(
        schema: JSONSchema(type: "string"),
        read: { reader throws(JSONError) in try reader.string() },
        write: { $1.string($0) })

    /// A string without surrounding white space, whose lines end with line feeds only: forms of browsers send CR LF. The
    /// length is in Unicode scalars. U+0000 is refused, because many programs would treat it as the end of the text.
    public static func trimmed(_ length: ClosedRange<Int>) -> Codec {
        string.map(
            describedAs: [
                "minLength": .integer(length.lowerBound), "maxLength": .integer(length.upperBound),
                "pattern": .string(length.contains(0) ? withoutNUL : visible),
            ],
            into: { text throws(JSONError) in
                let trimmed = withLineFeeds(trim(text))
                if trimmed.utf8.contains(0) { throw .refused("must not contain U+0000") }
                let count = trimmed.unicodeScalars.count
                guard length.contains(count) else {
                    throw .refused(
                        "must have \(length.lowerBound) to \(length.upperBound) characters after trimming, has \(count)"
                    )
                }
                return trimmed
            },
            from: { $0 })
    }

    /// The patterns of a text without U+0000, and of one that is not blank either.
    private static let withoutNUL = #"^[^\u0000]*$"#
    private static let visible = #"^[^\u0000]*[^\s\u0000][^\u0000]*$"#

    private static func withLineFeeds(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\r")) else { return text }
        return text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\r" }.joined(separator: "\n")
    }

    /// The fast path: nearly every text begins and ends with a visible character and so is already trimmed.
    private static func trim(_ text: String) -> String {
        let isSeen = { (byte: UInt8?) in byte.map { $0 > 0x20 && $0 < 0x7F } ?? true }
        if isSeen(text.utf8.first), isSeen(text.utf8.last) { return text }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isWhiteSpace($0) }),
            let last = scalars.lastIndex(where: { !isWhiteSpace($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// White space and newlines as Foundation defines them.
    private static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x200B: true
        default:
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}

extension Codec where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the enum's raw values.
    public static var oneOf: Codec {
        let names = Value.allCases.map(\.rawValue)
        return Codec<String>.string.map(
            describedAs: ["enum": .strings(names)],
            into: { text throws(JSONError) in
                guard names.contains(where: text.isExactly), let value = Value(rawValue: text) else {
                    throw .refused("must be one of \(names.joined(separator: ", "))")
                }
                return value
            },
            from: \.rawValue)
    }
}

extension Codec where Value == UUID {
    /// A UUID, read in either case, written in upper case.
    public static let uuid = Codec(
        schema: JSONSchema(type: "string").adding(["format": .string("uuid")]),
        read: { reader throws(JSONError) in
            guard let id = try reader.string({ UUID(hexadecimal: $0) }) else {
                throw .refused("must be a UUID like 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E")
            }
            return id
        },
        write: { $1.plainString($0.hexadecimal) })
}

extension Codec where Value == Date {
    /// An instant, written as `yyyy-MM-dd'T'HH:mm:ssZ`; any offset and any fraction are accepted.
    public static let date = Codec(
        // Not the format "date-time": RFC 3339 requires a colon in the offset.
        schema: JSONSchema(type: "string").adding(["pattern": .string(WireDate.pattern)]),
        read: { reader throws(JSONError) in
            guard let date = try reader.string({ WireDate.parse($0) }) else {
                throw .refused("must be a date like 2026-03-01T10:15:00Z")
            }
            return date
        },
        write: { $1.plainString(WireDate.characters(of: $0)) })
}

extension Codec where Value == RawJSON {
    /// Any value, as raw JSON.
    public static let any = Codec(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            let range = try reader.skipValue()
            return RawJSON(unchecked: Array(reader.bytes[range]))
        },
        write: { $1.raw($0) })
}

extension Codec {
    /// An array, with the allowed number of elements.
    public static func array<Element>(of element: Codec<Element>, count: ClosedRange<Int>? = nil) -> Codec
    where Value == [Element] {
        var schema = JSONSchema(type: "array")
        schema["items"] = .schema(element.schema)
        if let count {
            schema["minItems"] = .integer(count.lowerBound)
            schema["maxItems"] = .integer(count.upperBound)
        }
        return Codec(
            schema: schema,
            read: { reader throws(JSONError) in
                var values: [Element] = []
                var array = try reader.beginArray()
                while try reader.nextElement(of: &array) {
                    if let count, array.count > count.upperBound {
                        throw .refused("must have at most \(count.upperBound) elements")
                    }
                    do throws(JSONError) {
                        values.append(try element.read(&reader))
                    } catch {
                        throw error.inside("[\(values.count)]")
                    }
                }
                if let count, values.count < count.lowerBound {
                    throw .refused("must have at least \(count.lowerBound) elements")
                }
                return values
            },
            write: { values, writer in writer.array(values, element.write) })
    }

    /// The maximum bytes of a member name that is data and not ASCII. Swift hashes and compares texts by their canonical composition, which
    /// takes the square of the length of a run of combining marks.
    static var longestDataName: Int { 1_024 }

    /// An object whose member names are data: of ASCII, or of at most 1,024 bytes each.
    public static func dictionary<Element>(of element: Codec<Element>) -> Codec where Value == [String: Element] {
        var schema = JSONSchema(type: "object")
        schema["additionalProperties"] = .schema(element.schema)
        return Codec(
            schema: schema,
            read: { reader throws(JSONError) in
                var values: [String: Element] = [:]
                var object = try reader.beginObject()
                while let member = try reader.nextMember(of: &object) {
                    let name = reader.decode(member)
                    guard name.utf8.count <= longestDataName || name.utf8.allSatisfy({ $0 < 0x80 }) else {
                        throw .mismatch(
                            path: reader.decode(member, atMost: JSONError.longestName),
                            reason: "must have at most \(longestDataName) bytes, or only ASCII")
                    }
                    do throws(JSONError) {
                        values[name] = try element.read(&reader)
                    } catch {
                        throw error.inside(name)
                    }
                }
                return values
            },
            write: { values, writer in
                writer.object { writer in
                    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                        writer.name(name)
                        element.write(value, &writer)
                    }
                }
            })
    }
}
