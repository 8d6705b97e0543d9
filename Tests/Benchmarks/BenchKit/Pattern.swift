import ArgumentParser
import Foundation

/// A regular expression.
package struct Pattern: ExpressibleByArgument {
    private let text: String

    package init?(argument: String) {
        guard (try? Regex(argument)) != nil else { return nil }
        text = argument
    }

    package func fits(_ name: String) -> Bool { name.range(of: text, options: .regularExpression) != nil }
}
