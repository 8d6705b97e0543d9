import NIOCore

/// The limits of what plugins add to items, with their defaults.
struct EnrichmentLimits: Sendable {
    /// How long a page waits for a plugin. A manifest can set a shorter time.
    var timeout = TimeAmount.milliseconds(500)

    /// How long pages omit an enrichment that timed out or answered invalid data.
    var pause = TimeAmount.seconds(5)

    /// The maximum size of a plugin's answer for a page in bytes.
    static let answerBytes = 256 * 1_024

    /// The maximum size of a value in bytes.
    static let valueBytes = 4_096

    /// The maximum nesting of arrays and objects in a value.
    static let depth = 8
}
