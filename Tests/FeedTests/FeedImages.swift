import Feed
import Foundation

/// An item with a number.
func picture(_ number: Int, _ description: String? = nil) -> FeedImage {
    FeedImage(
        id: UUID(number: number), description: description, location: "Place \(number)",
        image: "https://pictures.example/\(number)")
}

extension UUID {
    init(number: Int) {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        // Always valid: the text has the form of a UUID.
        self.init(uuidString: text)!
    }
}

extension FeedSlice {
    /// The numbers of the items.
    var numbers: [Int] { items.map(\.number) }
}

extension FeedImage {
    var number: Int { Int(id.uuidString.suffix(12)) ?? -1 }
}
