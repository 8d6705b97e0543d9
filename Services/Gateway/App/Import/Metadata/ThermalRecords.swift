/// The records of FLIR's thermal cameras: a head with a list of records, each with its kind, place and length.
enum ThermalRecords {
    private static let position = 0x2B
    private static let mostRecords = 256

    static func erasePosition(in bytes: inout [UInt8]) -> Bool {
        guard bytes.has("FFF\0", at: 0), let version = bytes.bigEndian(at: 20, 4) else { return false }
        let isBigEndian = (100..<200).contains(version)
        func number(_ place: Int, _ length: Int) -> Int? {
            isBigEndian ? bytes.bigEndian(at: place, length) : bytes.littleEndian(at: place, length)
        }
        guard let list = number(24, 4), let count = number(28, 4) else { return false }
        var isFound = false
        for index in 0..<min(count, mostRecords) {
            let record = list + 32 * index
            guard number(record, 2) == position, let start = number(record + 12, 4),
                let length = number(record + 16, 4),
                start < bytes.count
            else { continue }
            let content = start..<min(start + length, bytes.count)
            guard bytes[content].contains(where: { $0 != 0 }) else { continue }
            for place in content { bytes[place] = 0 }
            isFound = true
        }
        return isFound
    }
}
