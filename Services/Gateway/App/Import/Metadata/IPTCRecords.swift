/// The records of IPTC-IIM (version 4.2, §1.5 and §2): each has a mark, the numbers of a record and a data set, a length and a value.
enum IPTCRecords {
    /// The data sets of the record of an application. The first that has a text counts.
    private static let dataSets: [(number: UInt8, field: PictureText)] = [
        (5, .title), (105, .title), (120, .description), (80, .creator), (110, .credit), (116, .rights), (115, .source),
        (25, .keyword), (90, .city), (95, .state), (101, .country), (dateCreated, .date),
    ]

    private static let (dateCreated, timeCreated): (UInt8, UInt8) = (55, 60)

    /// The data set with the encoding of the others is ignored: programs write it wrongly.
    static func texts(in bytes: [UInt8]) -> PictureText.Source {
        var (found, place) = ([UInt8: [String]](), 0)
        while place + 5 <= bytes.count, bytes[place] == 0x1C, var length = bytes.bigEndian(at: place + 3, 2) {
            let (record, number) = (bytes[place + 1], bytes[place + 2])
            place += 5
            // A long value has the number of bytes of its length.
            if length & 0x8000 != 0 {
                let size = length & 0x7FFF
                guard size <= 4, let long = bytes.bigEndian(at: place, size) else { break }
                (length, place) = (long, place + size)
            }
            let value = place..<min(place + length, bytes.count)
            place = value.upperBound
            guard record == 2, number == timeCreated || dataSets.contains(where: { $0.number == number }),
                found[number, default: []].count < PictureText.mostTexts
            else { continue }
            found[number, default: []].append(PictureText.decoded(bytes[value]))
        }
        if let date = found[dateCreated]?.first {
            // With the time, if it is there.
            found[dateCreated] = [[date, found[timeCreated]?.first].compactMap(\.self).joined(separator: " "), date]
        }
        return PictureText.Source(.iptc, .first(of: dataSets.map { ($0.field, found[$0.number] ?? []) }))
    }
}

extension [PictureText: [String]] {
    /// For each field the first list that has a text.
    static func first(of all: [(field: PictureText, texts: [String])]) -> Self {
        all.reduce(into: [:]) { found, next in
            let isEmpty = next.texts.allSatisfy { text in text.allSatisfy(\.isWhitespace) }
            if !isEmpty, found[next.field] == nil { found[next.field] = next.texts }
        }
    }
}
