extension ExifBlock {
    /// The tags of texts: those of TIFF, then those of Windows in UTF-16. The first that has a text counts.
    private static let textTags: [(tag: Int, field: PictureText)] = [
        (0x9C9B, .title), (0x010E, .description), (0x9C9C, .description), (0x013B, .creator), (0x9C9D, .creator),
        (0x8298, .rights), (0x9C9E, .keyword),
    ]

    private static let (make, model) = (0x010F, 0x0110)

    /// The texts of the picture, without those of its previews. A camera that writes its name as a text has written none.
    var texts: PictureText.Source {
        let entries = directories.first.map(entries) ?? []
        func text(_ tag: Int) -> String {
            guard let entry = entries.first(where: { $0.tag == tag }), let range = value(entry) else { return "" }
            let content = bytes[range].prefix(PictureText.longest)
            guard tag >= 0x9C9B, tag <= 0x9C9F else { return PictureText.decoded(content) }
            let units = stride(from: content.startIndex, to: content.endIndex - 1, by: 2)
                .map { UInt16(content[$0]) | UInt16(content[$0 + 1]) << 8 }
            return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        }
        func name(_ text: String) -> String { text.lowercased().split(whereSeparator: \.isWhitespace).joined() }
        let cameras = [name(text(Self.make)), name(text(Self.model)), name(text(Self.make) + text(Self.model))]
        return PictureText.Source(
            .exif,
            .first(
                of: Self.textTags.map { tag, field in
                    let text = text(tag)
                    return (field, cameras.contains(name(text)) ? [] : [text])
                }))
    }
}
