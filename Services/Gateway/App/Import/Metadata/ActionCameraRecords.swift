/// The records of GoPro's cameras (GPMF): each has a key of four letters, the type and size of a value, the number of values, and the
/// values, filled to a multiple of four bytes. Type 0 has records.
enum ActionCameraRecords {
    /// The keys of positions: from the receiver, and from that of a drone.
    private static let positions: Set<String> = ["GPS5", "GPS9", "GPSA", "GPRI", "GLPI"]
    private static let deepest = 8

    static func erasePosition(in bytes: inout [UInt8]) -> Bool { erasePosition(in: &bytes, bytes.indices, depth: 0) }

    private static func erasePosition(in bytes: inout [UInt8], _ records: Range<Int>, depth: Int) -> Bool {
        guard depth < deepest else { return false }
        var (isFound, place) = (false, records.lowerBound)
        while place + 8 <= records.upperBound, let count = bytes.bigEndian(at: place + 6, 2) {
            let start = place + 8
            let content = start..<min(start + Int(bytes[place + 5]) * count, records.upperBound)
            if bytes[place + 4] == 0 {
                if erasePosition(in: &bytes, content, depth: depth + 1) { isFound = true }
            } else if positions.contains(String(decoding: bytes[place..<place + 4], as: UTF8.self)),
                bytes[content].contains(where: { $0 != 0 })
            {
                for byte in content { bytes[byte] = 0 }
                isFound = true
            }
            place = start + (content.count + 3) / 4 * 4
        }
        return isFound
    }
}
