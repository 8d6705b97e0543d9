import Foundation
import ImageData
import RPCTestKit

@testable import image_data_service

/// A complete image with a number; all have the same size.
func picture(_ number: Int) -> Data { Data(PNGBytes.image(16, number)) }

/// The size of each image in bytes.
let pictureSize = picture(1).count

func stored(_ number: Int, at time: TimeInterval = 0, age: Int = 0) -> StoredImage {
    let data = picture(number)
    return StoredImage(
        record: ImageRecord(
            contentType: "image/png", size: data.count, hash: ContentHash(of: data),
            crc32: PNGBytes.checksum(Bytes(data)), storedAt: moment(time), age: age),
        data: data)
}

func url(_ number: Int) -> String { "https://pictures.example/\(number)" }
