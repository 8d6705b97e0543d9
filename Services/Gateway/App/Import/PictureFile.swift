import Foundation
import ImageDataContract
import RPC

/// An image file on this machine. It is read only if its size is within the limit.
struct PictureFile {
    let path: String

    /// - Throws: `RPCError` with the kind that the service would return.
    func read() throws(RPCError) -> Bytes {
        let size = try size()
        guard size <= ImageDataContract.maximumImageBytes else {
            throw RPCError(
                .tooLarge, "\(path) has \(size) bytes, the limit is \(ImageDataContract.maximumImageBytes)",
                begun: false)
        }
        do {
            return Bytes(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw unreadable(error)
        }
    }

    private func size() throws(RPCError) -> Int {
        do {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw RPCError(.invalidData, "\(path) is not a regular file", begun: false)
            }
            return (attributes[.size] as? NSNumber)?.intValue ?? 0
        } catch let error as RPCError {
            throw error
        } catch {
            throw unreadable(error)
        }
    }

    private func unreadable(_ error: any Error) -> RPCError {
        RPCError(.notFound, "cannot read \(path): \((error as NSError).localizedDescription)", begun: false)
    }
}
