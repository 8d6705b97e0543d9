import Crypto
import Foundation
import ImageData

extension ContentHash {
    /// The hash of these bytes.
    init(of data: Data) {
        // Never nil: the digest has 32 bytes.
        self.init(Data(SHA256.hash(data: data)))!
    }
}
