import Foundation
import ImageData

@testable import image_data_service

/// A complete picture that is told from others by its number; all have the same size.
func picture(_ number: Int) -> Data { Data(PNGBytes.image(16, number)) }

/// How many bytes every picture has.
let pictureSize = picture(1).count

func stored(_ number: Int, at time: TimeInterval = 0) -> StoredImage {
    let data = picture(number)
    return StoredImage(
        record: ImageRecord(
            contentType: "image/png", size: data.count, hash: ContentHash(of: data),
            crc32: PNGBytes.checksum(Bytes(data)), storedAt: moment(time)),
        data: data)
}

/// Seconds after some noon.
func moment(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_772_366_400 + seconds) }

func url(_ number: Int) -> String { "https://pictures.example/\(number)" }
