import RPC

/// The keys of a method's parameters on an unfinished command line.
struct ParameterKeys {
    private let method: MethodDescription
    private let schema: ParameterSchema

    /// The keys that other words give.
    private let given: Set<String>

    /// - Parameter index: the position of the word to complete.
    init(method: MethodDescription, words: [String], index: Int) {
        self.method = method
        schema = ParameterSchema(method.params)
        let others = words.indices.filter { $0 != index }
        given = Set(
            others.compactMap { place in
                // bash splits words at the equals sign.
                let isSplit = place + 1 < words.count && words[place + 1] == "="
                return isSplit ? words[place] : words[place].firstIndex(of: "=").map { String(words[place][..<$0]) }
            })
    }

    /// The keys beside and below the one that is typed, without those that are given already.
    func offered(completing prefix: String) -> [CompletionWord] {
        let base = prefix.lastIndex(of: ".").map { String(prefix[...$0]) } ?? ""
        guard let object = base.isEmpty ? schema : schema(of: String(base.dropLast())) else { return [] }
        return object.members.compactMap { member in
            let key = base + member.name
            // A list may be given element by element.
            guard !given.contains(key) || member.schema.types.contains("array") else { return nil }
            return CompletionWord(word: key + Self.ending(member.schema), summary: Self.summary(of: member.schema))
        }
    }

    /// What follows a key: its value, or the key of a member.
    private static func ending(_ schema: ParameterSchema) -> String {
        if schema.isBytes { return "=" }
        if !schema.members.isEmpty { return "." }
        return schema.items?.members.isEmpty == false ? "[0]." : "="
    }

    private static func summary(of schema: ParameterSchema) -> String {
        [Signature.name(of: schema), schema.summary].compactMap(\.self).joined(separator: " – ")
    }

    /// The texts that a value may have, if it is an enum.
    func choices(of key: String) -> [String] {
        guard let schema = schema(of: key) else { return [] }
        return ([schema] + schema.alternatives).flatMap(\.choices).compactMap(\.text)
    }

    /// Whether a value is the id of an image in the feed. Schemas do not say what an id belongs to: the names of our methods and of
    /// the parameter do.
    func takesImageID(_ key: String) -> Bool {
        guard let schema = schema(of: key), (schema.items ?? schema).format == "uuid" else { return false }
        switch (method.name.prefix { $0 != "." }, key) {
        case (_, "image_id"), (_, "image_ids"): return true
        case ("comments", _): return false
        case ("feed", _), ("gateway", _): return Self.methodsOfImages.contains(method.name)
        // A plugin knows the images of the feed only by their ids.
        case (_, "id"), (_, "ids"): return self.schema.members.contains { $0.name == key && $0.isRequired }
        default: return false
        }
    }

    /// Our methods whose ids are all of images in the feed.
    private static let methodsOfImages: Set = [
        "feed.load", "feed.get", "feed.remove", "gateway.feed_page", "gateway.image",
    ]

    private func schema(of key: String) -> ParameterSchema? { ParameterPath(key).flatMap { schema.at($0.steps) } }
}
