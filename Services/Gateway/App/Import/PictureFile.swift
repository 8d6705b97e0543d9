import Foundation
import ImageDataContract
import RPC

/// An image file on this machine. It is read only if its size is within the limit.
struct PictureFile {
    let path: String

    /// - Throws: `RPCError` with the kind that the service would return.
    func read() throws(RPCError) -> Bytes {
        Bytes(try InputFile(path: path).read(upTo: ImageDataContract.maximumImageBytes, isRegular: true))
    }
}
