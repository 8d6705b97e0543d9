/// The names of places in the notes of cameras (`MakerNote`), which are directories of tags too.
///
/// These makers' tags are known, as ExifTool 12.57 lists them: Panasonic's, also in the Leicas that Panasonic makes, with the country,
/// the city and the landmark; Samsung's with the name of the place; Nikon's `LocationInfo`. `ThermalRecords` and `ActionCameraRecords`
/// have those of FLIR and GoPro, `VideoPosition` what Samsung's phones append, and `CoordinateText` finds coordinates that any notes have
/// as text. DJI and Google write theirs into XMP, and no tag of Apple's, Canon's, Sony's, Pentax' or Casio's notes in a picture is known
/// to have a place: their cities are settings of the clock. Binary positions of other makers are not known and stay.
extension ExifBlock {
    private static let notes = 0x927C

    /// Location, country, state, city, landmark and further parts of a place (Panasonic), and five texts of a receiver (Samsung).
    private static let panasonic: Set<Int> = [0x67, 0x69, 0x6B, 0x6D, 0x6F, 0x80, 0x81, 0x82, 0x83]
    private static let samsung: Set<Int> = [0x2F, 0x30, 0x31, 0x32, 0x33, 0x34]

    /// Where the names of places in the notes are.
    var placeNames: [Range<Int>] {
        directories.flatMap(entries).filter { $0.tag == Self.notes }.compactMap { value($0) }
            .flatMap { note -> [Range<Int>] in
                guard let (directory, tags) = placeTags(in: note) else { return [] }
                let entries = entries(directory)
                let base = base(of: entries, directory, in: note)
                return entries.filter { tags.contains($0.tag) }.compactMap { value($0, from: base) }
                    .filter { range in note.contains(range.lowerBound) && isTelling(range) }
            }
    }

    /// Where the directory of the notes is, and its tags with names of places; nil for another maker's.
    private func placeTags(in note: Range<Int>) -> (directory: Int, tags: Set<Int>)? {
        if bytes.has("Panasonic\0", at: note.lowerBound) { return (note.lowerBound + 12, Self.panasonic) }
        if bytes.has("LEICA\0\0\0", at: note.lowerBound) { return (note.lowerBound + 8, Self.panasonic) }
        guard let first = entries(note.lowerBound).first, first.tag == 1, first.kind == 7,
            bytes.has("0100", at: first.place + 8)
        else { return nil }
        return (note.lowerBound, Self.samsung)
    }

    /// From where the places of values count: the beginning of the structure or of the notes, or a place of the DC-FT7's own. The first
    /// value is next to the directory.
    private func base(of entries: [Entry], _ directory: Int, in note: Range<Int>) -> Int {
        let end = directory + 2 + 12 * entries.count
        guard let first = entries.compactMap(offset).min() else { return 0 }
        return [0, 12, note.lowerBound].filter { $0 + first >= end }.min() ?? 0
    }

    /// Whether it has more than fillers.
    private func isTelling(_ range: Range<Int>) -> Bool {
        bytes[range].contains { !["\0", " ", "-"].contains(Character(UnicodeScalar($0))) }
    }

    /// Where the value of Nikon's `LocationInfo` has a country and a place, behind a version and an encoding.
    var nikonLocation: [Range<Int>] {
        directories.flatMap(entries).filter { $0.tag == 0x39 }.compactMap { value($0) }
            .map { min($0.lowerBound + 5, $0.upperBound)..<$0.upperBound }.filter(isTelling)
    }
}
