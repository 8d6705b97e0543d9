import Foundation

@testable import ImageData

/// The result of the inspector as a comparable value.
func inspecting(_ bytes: some Sequence<UInt8>) -> Result<ImageInfo, ImageRejection> {
    Result { () throws(ImageRejection) in try ImageInspector.inspect(Data(bytes)) }
}

extension Result<ImageInfo, ImageRejection> {
    var rejection: ImageRejection? {
        if case .failure(let rejection) = self { rejection } else { nil }
    }

    /// The reason of a `malformed` rejection; nil for any other result.
    var fault: String? {
        if case .malformed(_, let what) = rejection { what } else { nil }
    }

    var isAccepted: Bool { rejection == nil }

    var frames: Int? { try? get().frames }
}
