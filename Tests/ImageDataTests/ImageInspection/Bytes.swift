/// The type of the test files' parts.
typealias Bytes = [UInt8]

func ascii(_ text: String) -> Bytes { Bytes(text.utf8) }

func be16(_ value: Int) -> Bytes { bigEndian(value, count: 2) }
func be32(_ value: Int) -> Bytes { bigEndian(value, count: 4) }
func be64(_ value: UInt64) -> Bytes { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }

func le16(_ value: Int) -> Bytes { bigEndian(value, count: 2).reversed() }
func le24(_ value: Int) -> Bytes { bigEndian(value, count: 3).reversed() }
func le32(_ value: Int) -> Bytes { bigEndian(value, count: 4).reversed() }

func zeros(_ count: Int) -> Bytes { Bytes(repeating: 0, count: count) }

private func bigEndian(_ value: Int, count: Int) -> Bytes {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}
