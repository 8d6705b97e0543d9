import JSON
import Synchronization

/// The `meta` member of a request. Members of later versions are ignored.
struct RequestMeta: Sendable, Equatable {
    /// The time left until the caller's deadline, in milliseconds; relative, because clocks differ.
    var timeout: Int?
    var trace = TraceContext()

    /// Whether the caller accepts attachments in the answer.
    var attachments: Bool?

    /// Whether the caller expects a stream, and its window in items.
    var stream: Bool?
    var window: Int?

    var priority: CallPriority?

    /// How many gateways have forwarded the call; nil for none.
    var hops: Int?

    static let none = RequestMeta()

    /// Not an object codec: this runs for every request, and most members are absent.
    static let codec = Codec<RequestMeta>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            var meta = RequestMeta()
            var trace: (parent: String?, state: String?)
            var object = try reader.beginObject()
            while let name = try reader.nextMember(of: &object) {
                if reader.matches(name, "timeout_ms") {
                    meta.timeout = try read(Members.timeout, "timeout_ms", &reader)
                } else if reader.matches(name, "traceparent") {
                    // A trace member that is not a string counts as absent, like a malformed string.
                    trace.parent = try reader.skipString().map { reader.decode($0, atMost: longestTrace) }
                } else if reader.matches(name, "tracestate") {
                    trace.state = try reader.skipString().map { reader.decode($0, atMost: longestTrace) }
                } else if reader.matches(name, "attachments") {
                    meta.attachments = try read(.boolean, "attachments", &reader)
                } else if reader.matches(name, "stream") {
                    meta.stream = try read(.boolean, "stream", &reader)
                } else if reader.matches(name, "window") {
                    meta.window = try read(Members.window, "window", &reader)
                } else if reader.matches(name, "priority") {
                    meta.priority = try read(Members.priority, "priority", &reader)
                } else if reader.matches(name, "hops") {
                    meta.hops = try read(Members.hops, "hops", &reader)
                } else {
                    try reader.skipValue()
                }
            }
            if trace.parent != nil { meta.trace = TraceContext(parent: trace.parent, state: trace.state) }
            return meta
        },
        write: { $0.write(to: &$1) })

    /// Enough of a trace member to see that it is too long.
    private static let longestTrace = Limits.encodedBytes(over: Limits.traceBytes)

    private enum Members {
        static let timeout = Codec<Int>.integer(Limits.timeoutMilliseconds)
        static let window = Codec<Int>.integer(Limits.streamWindows)
        static let priority = Codec<CallPriority>.oneOf
        static let hops = Codec<Int>.integer(Limits.hops)
    }

    private static func read<Value>(
        _ codec: Codec<Value>, _ name: String, _ reader: inout JSONReader
    ) throws(JSONError) -> Value? {
        do throws(JSONError) {
            return try reader.null() ? nil : try codec.read(&reader)
        } catch {
            throw error.inside(name)
        }
    }

    /// Written by hand: this runs for every call, and an object codec takes several times as long.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let timeout {
                writer.name(encoded: Self.timeoutName)
                writer.integer(timeout)
            }
            if let parent = trace.parent {
                writer.name(encoded: Self.parentName)
                writer.string(parent)
            }
            if let state = trace.state {
                writer.name(encoded: Self.stateName)
                writer.string(state)
            }
            if let attachments {
                writer.name(encoded: Self.attachmentsName)
                writer.boolean(attachments)
            }
            if let stream {
                writer.name(encoded: Self.streamName)
                writer.boolean(stream)
            }
            if let window {
                writer.name(encoded: Self.windowName)
                writer.integer(window)
            }
            if let priority {
                writer.name(encoded: Self.priorityName)
                writer.string(priority.rawValue)
            }
            if let hops {
                writer.name(encoded: Self.hopsName)
                writer.integer(hops)
            }
        }
    }

    private static let timeoutName = Array(#""timeout_ms""#.utf8)
    private static let parentName = Array(#""traceparent""#.utf8)
    private static let stateName = Array(#""tracestate""#.utf8)
    private static let attachmentsName = Array(#""attachments""#.utf8)
    private static let streamName = Array(#""stream""#.utf8)
    private static let windowName = Array(#""window""#.utf8)
    private static let priorityName = Array(#""priority""#.utf8)
    private static let hopsName = Array(#""hops""#.utf8)
}

/// How urgent a call is for a waiting user: a hint that methods may use.
public enum CallPriority: String, Sendable, CaseIterable {
    /// The result is visible to the user.
    case visible
    /// The user may soon see the result.
    case prefetch
}

/// W3C trace context, passed on unchanged.
public struct TraceContext: Sendable, Equatable {
    /// `00-<32 hex digits: trace id>-<16 hex digits: parent id>-<2 hex digits: flags>`; nil when there is none.
    public let parent: String?
    public let state: String?

    public init() {
        parent = nil
        state = nil
    }

    /// A malformed parent counts as absent; without a parent the state is ignored (W3C Trace Context §3.2.2, §3.3).
    public init(parent: String?, state: String? = nil) {
        let isValid = parent.map { $0.utf8.count <= Limits.traceBytes && Self.isValid($0) } ?? false
        self.parent = isValid ? parent : nil
        self.state = isValid ? state.flatMap { $0.utf8.count <= Limits.traceBytes ? $0 : nil } : nil
    }

    /// Starts a new trace. Every HTTP request does, so this makes no system call: random numbers are only the first half of
    /// the ids and the start of the second. A trace id must be unique, not hard to guess.
    public static func random() -> TraceContext {
        let step = started.wrappingAdd(step, ordering: .relaxed).newValue
        // All-zero ids are invalid.
        let number = max(1, mixed(step))
        let parent = String(unsafeUninitializedCapacity: template.utf8CodeUnitCount) { text in
            _ = text.initialize(
                fromContentsOf: UnsafeBufferPointer(start: template.utf8Start, count: template.utf8CodeUnitCount))
            write(ofThisProcess, to: text, at: 3)
            write(number, to: text, at: 19)
            write(number, to: text, at: 36)
            return template.utf8CodeUnitCount
        }
        return TraceContext(unchecked: parent)
    }

    private static let template: StaticString = "00-ppppppppppppppppnnnnnnnnnnnnnnnn-nnnnnnnnnnnnnnnn-01"

    /// The first half of the trace ids that start in this process.
    private static let ofThisProcess = UInt64.random(in: 1 ... .max)

    private static let started = Atomic(UInt64.random(in: 0 ... .max))

    /// An odd number, so that the steps repeat only after 2^64 traces.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// A different number for each number, which looks random (the finalizer of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Writes 16 hexadecimal digits.
    private static func write(_ number: UInt64, to text: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: number >> (60 - 4 * UInt64(index))) & 0xF
            text[position + index] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
    }

    private init(unchecked parent: String) {
        self.parent = parent
        state = nil
    }

    /// The trace id; logs and problem reports use it as the request id.
    public var id: String? { parent.map { String($0.dropFirst(3).prefix(32)) } }

    private static func isValid(_ parent: String) -> Bool {
        let parts = parent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isHex = { (part: Substring.UTF8View, length: Int) in
            part.count == length && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        let isZero = { (part: Substring.UTF8View) in part.allSatisfy { $0 == UInt8(ascii: "0") } }
        guard parts.count >= 4, isHex(parts[0], 2), !parts[0].elementsEqual("ff".utf8),
            !isZero(parts[0]) || parts.count == 4
        else {
            return false
        }
        return isHex(parts[1], 32) && isHex(parts[2], 16) && isHex(parts[3], 2) && !isZero(parts[1])
            && !isZero(parts[2])
    }
}
