import JSON
import NIOCore

extension Limits {
    /// A limit that can be configured by name, and that `rpc.hello` announces under that name.
    public struct Setting: Sendable {
        public let name: String

        /// The help text.
        public let summary: String

        public let allowed: ClosedRange<Int>

        fileprivate let path: any WritableKeyPath<Limits, Int> & Sendable

        fileprivate init(
            _ name: String, _ path: any WritableKeyPath<Limits, Int> & Sendable, _ allowed: ClosedRange<Int>,
            _ summary: String
        ) {
            self.name = name
            self.path = path
            self.allowed = allowed
            self.summary = summary
        }
    }

    public subscript(_ setting: Setting) -> Int {
        get { self[keyPath: setting.path] }
        set { self[keyPath: setting.path] = newValue }
    }

    /// All configurable limits. A frame must be large enough for an error that names its object.
    public static let settings = [
        Setting("frame_bytes", \.frameBytes, 4_096...largestFrameLength, "the largest message"),
        Setting("calls_per_connection", \.callsPerConnection, 1...1_000_000, "calls under way on a connection"),
        Setting("calls_per_process", \.callsPerProcess, 1...1_000_000, "calls under way in the process"),
        Setting("connections", \.connections, 1...1_000_000, "connections of the process"),
        Setting(
            "default_timeout_ms", \.defaultTimeout.milliseconds, timeoutMilliseconds,
            "the default timeout of a call"),
        Setting("queued_bytes", \.queuedBytes, sizes, "unsent answers on a connection"),
        Setting(
            "queued_bytes_per_process", \.queuedBytesPerProcess, sizes, "unsent answers in the process"),
        Setting("assembled_bytes", \.assembledBytes, sizes, "unfinished transfers on a connection"),
        Setting(
            "assembled_bytes_per_process", \.assembledBytesPerProcess, sizes,
            "unfinished transfers in the process"),
        Setting("open_transfers", \.openTransfers, 1...65_536, "incoming transfers at a time on a connection"),
        Setting("frame_timeout_ms", \.frameTimeout.milliseconds, times, "the time to receive a frame"),
        Setting("write_timeout_ms", \.writeTimeout.milliseconds, times, "the time of a write without progress"),
        Setting(
            "deaf_time_ms", \.deafTime.milliseconds, times,
            "write_timeout_ms while the process is at queued_bytes_per_process or calls_per_process"),
        Setting("discarded_bytes", \.discardedBytes, sizes, "bytes discarded after a bad frame"),
        Setting("discard_time_ms", \.discardTime.milliseconds, times, "the time for discarding after a bad frame"),
    ]

    private static let sizes = 4_096...(1 << 40)
    private static let times = 1...86_400_000

    /// The limits as `rpc.hello` announces them. A missing member has its default; a value above our maximum counts as
    /// the maximum.
    static let announced = Codec<Limits>.object { object in
        let frameBytes = object.required("frame_bytes", .integer(1 ... .max), \.frameBytes)
        let members = settings.filter { $0.name != frameBytes.name }.map { setting in
            (setting, object.optional(setting.name, .integer(0 ... .max), { $0[setting] }))
        }
        return { values throws(JSONError) in
            var limits = Limits()
            limits.frameBytes = min(try values[frameBytes], largestFrameLength)
            for (setting, member) in members {
                guard let value = try values[member] else { continue }
                limits[setting] = min(max(value, setting.allowed.lowerBound), setting.allowed.upperBound)
            }
            return limits
        }
    }
}

extension TimeAmount {
    fileprivate var milliseconds: Int {
        get { Int(nanoseconds / 1_000_000) }
        set { self = .milliseconds(Int64(newValue)) }
    }
}
