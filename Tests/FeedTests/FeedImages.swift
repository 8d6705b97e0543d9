import EdgeModel
import Feed
import Foundation
import RPCTestKit

/// An item with a number.
func picture(_ number: Int, _ description: String? = nil) -> FeedImage {
    FeedImage(
        id: UUID(number: number), description: description, location: "Place \(number)",
        image: "https://pictures.example/\(number)")
}

extension FeedSlice {
    /// The numbers of the items.
    var numbers: [Int] { items.map(\.number) }
}

extension FeedImage {
    var number: Int { id.number }
}

extension PictureHints {
    static let sized = PictureHints(width: 4_000, height: 3_000)
    static let placed = PictureHints(placeholder: Placeholder(Data([0x21, 1, 2, 3, 4, 5, 6])))
    static let full = sized.completed(by: placed)
}
