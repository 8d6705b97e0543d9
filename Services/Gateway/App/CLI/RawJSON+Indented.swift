import JSON
import ServiceKit

extension RawJSON {
    /// The value for a terminal: every member on a line of its own. JSON escapes the control characters of ASCII; those of later
    /// Unicode ranges are escaped here.
    var indented: String {
        Escaping.json((try? JSONValue(self))?.formatted(lineLength: nil) ?? "\(self)")
    }
}
