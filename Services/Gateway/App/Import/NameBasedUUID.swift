import Crypto
import Foundation

extension UUID {
    /// Creates a name-based UUID (RFC 9562 §5.5, version 5): equal names have equal ids.
    init(namespace: UUID, name: String) {
        var hash = Insecure.SHA1()
        withUnsafeBytes(of: namespace.uuid) { hash.update(bufferPointer: $0) }
        hash.update(data: Data(name.utf8))
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The namespace of imported ids.
    static let imports = UUID(
        uuid: (0x4E, 0x1F, 0x60, 0xA2, 0x6C, 0x0B, 0x4B, 0x5D, 0x9A, 0x4E, 0x3C, 0x15, 0x7D, 0x92, 0x08, 0xB1))
}
