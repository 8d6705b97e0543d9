import Feed
import Foundation

/// A picture that is told from others by its number.
func picture(_ number: Int, _ description: String? = nil) -> FeedImage {
    FeedImage(
        id: UUID(number: number), description: description, location: "Place \(number)",
        image: "https://pictures.example/\(number)")
}

extension UUID {
    init(number: Int) {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        // Always of the right form.
        self.init(uuidString: text)!
    }
}

extension FeedSlice {
    /// The numbers of the pictures.
    var numbers: [Int] { items.map(\.number) }
}

extension FeedImage {
    var number: Int { Int(id.uuidString.suffix(12)) ?? -1 }
}
