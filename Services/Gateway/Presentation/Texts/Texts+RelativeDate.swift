import Foundation

extension Texts {
    /// "Updated %@" with the age of `date`. "Now" has a separate text, because it does not fit into the sentence.
    func text(_ key: TextKey, orNow nowKey: TextKey, _ date: Date, now: Date) -> String {
        switch RelativeDate(date, now: now) {
        case .now: self[nowKey]
        case let age: text(key, age.text(in: language))
        }
    }
}
