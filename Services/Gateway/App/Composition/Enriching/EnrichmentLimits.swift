import NIOCore

/// The limits of what plugins add to items.
enum EnrichmentLimits {
    /// How long a page waits for a plugin. A manifest can set a shorter time.
    static let timeout = TimeAmount.milliseconds(500)

    /// How long pages omit an enrichment that timed out or answered invalid data.
    static let pause = TimeAmount.seconds(5)

    /// The maximum size of a plugin's answer for a page in bytes.
    static let answerBytes = 256 * 1_024

    /// The maximum size of a value in bytes.
    static let valueBytes = 4_096

    /// The maximum nesting of arrays and objects in a value.
    static let depth = 8
}
