import Foundation

/// The script of the pages as one file, because a first visit should need one request for it.
///
/// The folder `Script` has one module for each concept. A module follows those that it imports, so in one file it needs no
/// imports. The modules share one scope: each name is declared once. Two modules must not import each other.
struct ScriptBundle {
    private(set) var text = ""
    private var included: Set<String> = []

    /// - Parameter entry: the name of the module that starts the page.
    init(entry: String) { add(entry) }

    private mutating func add(_ name: String) {
        guard included.insert(name).inserted else { return }
        let file = WebFiles.folder("Script").appending(component: name)
        let source = String(decoding: WebFiles.data(file), as: UTF8.self)
        for line in source.matches(of: Self.importLine) { add(String(line.1)) }
        text += source.replacing(Self.importLine, with: "")
    }

    /// The only form of an import: one line with the names and the file.
    private static var importLine: Regex<(Substring, Substring)> { /import { .+ } from "\.\/(.+)";\n/ }
}
