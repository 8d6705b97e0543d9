import Foundation
import Testing

@testable import gateway

@Suite struct ScriptBundleTests {
    /// The names of the modules, in the order of the script: the text of each without its imports.
    private static func order(in script: String) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(
            at: WebFiles.folder("Script"), includingPropertiesForKeys: nil)
        let places = try files.map { file in
            let source = String(decoding: WebFiles.data(file), as: UTF8.self)
            let ranges = script.ranges(of: source.replacing(/import .+\n/, with: ""))
            #expect(ranges.count == 1, "\(file.lastPathComponent)")
            return (try #require(ranges.first).lowerBound, file.lastPathComponent)
        }
        return places.sorted { $0.0 < $1.0 }.map(\.1)
    }

    @Test func `the script has each module once, after those that it imports`() throws {
        let script = ScriptBundle(entry: "page.js").text
        #expect(!script.contains("import {"))
        let order = try Self.order(in: script)
        for (place, name) in order.enumerated() {
            let source = String(
                decoding: WebFiles.data(WebFiles.folder("Script").appending(component: name)), as: UTF8.self)
            let imported = Set(source.matches(of: /import .* from "\.\/(.+)";/).map { String($0.1) })
            #expect(imported.isSubset(of: order[..<place]), "\(name)")
        }
        #expect(order.last == "page.js")
    }
}
