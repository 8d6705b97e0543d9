import Crypto
import Foundation
import ImageData

extension ContentHash {
    /// The hash of these bytes.
    init(of data: Data) {
        // A SHA-256 has the size of a SHA-256.
        self.init(Data(SHA256.hash(data: data)))!
    }
}
