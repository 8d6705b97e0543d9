import Crypto
import Foundation
import JSON

/// How many entries a store has, and a hash over all of them in their order. Stores with equal proofs have the same content.
public struct StoreProof: Equatable, Sendable {
    public let count: Int

    /// In hexadecimal digits.
    public let sha256: String

    public init(count: Int, sha256: String) { (self.count, self.sha256) = (count, sha256) }

    public static let codec = Codec<StoreProof>.object { object in
        let count = object.required("count", .integer(0...Int.max), \.count)
        let sha256 = object.required("sha256", .string, \.sha256)
        return { members throws(JSONError) in StoreProof(count: try members[count], sha256: try members[sha256]) }
    }

    /// Reads a store from its first entry to its last.
    public struct Reading {
        private var count = 0
        private var hash = SHA256()

        public init() {}

        /// - Parameter entry: its bytes. Their number is hashed, too, so that no other entries have the same hash.
        public mutating func add(_ entry: [UInt8]) {
            count += 1
            withUnsafeBytes(of: UInt64(entry.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: entry)
        }

        public var proof: StoreProof {
            StoreProof(count: count, sha256: hash.finalize().hexadecimal)
        }
    }
}
