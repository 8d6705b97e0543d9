import Foundation
import Mustache
import Presentation

/// The templates of the pages in `Templates`.
enum Templates {
    /// Renders a template.
    /// - Parameter model: what the template names. Absent members and nil count as false.
    static func render(_ name: String, _ model: [String: Any?]) -> String {
        library.render(model.compactMapValues(\.self), withTemplate: name) ?? ""
    }

    /// The texts of a language by the names of their keys: `{{t.feedTitle}}`.
    static func texts(_ language: Language) -> [String: String] { texts[language] ?? [:] }

    private static let texts = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { language in
            let texts = Texts(language)
            return (language, Dictionary(uniqueKeysWithValues: TextKey.allCases.map { ("\($0)", texts[$0]) }))
        })

    private static let library: MustacheLibrary = {
        MustacheContentTypes.register(Markup(), named: Markup.name)
        var library = MustacheLibrary()
        for (name, source) in sources {
            do {
                // Each template names the escaping, because a partial would begin with the library's own.
                try library.register("{{% CONTENT_TYPE:\(Markup.name)}}\n" + source, named: name)
            } catch {
                fatalError("the template \(name) is invalid: \(error)")
            }
        }
        return library
    }()

    /// The files by their names without extension.
    static let sources: [String: String] = {
        // What plugins add to each page, while they have a manifest.
        let plugins = ["head", "bar", "keys"].map { part in
            (
                "plugins-\(part)",
                PluginClients.all.map { "{{#\($0.plugin)}}{{>\($0.plugin)-\(part)}}{{/\($0.plugin)}}" }.joined()
            )
        }
        let files = WebFiles.all("Templates").filter { $0.pathExtension == "mustache" }
        return Dictionary(
            uniqueKeysWithValues: plugins
                + files.map { file in
                    (
                        file.deletingPathExtension().lastPathComponent,
                        String(decoding: WebFiles.data(file), as: UTF8.self)
                    )
                })
    }()
}

/// The files of pages that are installed beside the program, as the texts of `Presentation` are.
enum WebFiles {
    /// The files of a folder, and those of the clients of plugins.
    static func all(_ folder: String) -> [URL] { ([folder] + PluginClients.all.map { $0.files }).flatMap(list) }

    private static func list(_ folder: String) -> [URL] {
        let url = self.folder(folder)
        guard let files = try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil) else {
            fatalError("cannot read \(url.path)")
        }
        return files
    }

    static func folder(_ name: String) -> URL {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil) else {
            fatalError("cannot find the folder \(name) of \(Bundle.module.bundlePath)")
        }
        return url
    }

    static func data(_ file: URL) -> Data {
        guard let data = try? Data(contentsOf: file) else { fatalError("cannot read \(file.path)") }
        return data
    }
}
