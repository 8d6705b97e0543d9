import Presentation

/// The messages about refused files: the first ones for each reason, and the number of the others.
struct RefusalLines {
    let language: Language

    /// So many files are named for each reason.
    static let perReason = 5

    /// Refusals by their reason without its numbers, in the order of the first ones.
    private var groups: [(reason: String, first: String, count: Int)] = []

    init(language: Language) { self.language = language }

    /// - Returns: the message to show now; nil if enough files were named for this reason.
    mutating func add(_ refusal: Importer.Refusal) -> String? {
        let text = refusal.reason(in: language)
        let reason = text.replacing(/[0-9A-F]{8}-[-0-9A-F]{27}|\d+/, with: "")
        let index = groups.firstIndex { $0.reason == reason } ?? groups.count
        if index == groups.count { groups.append((reason, refusal.file, 0)) }
        groups[index].count += 1
        return groups[index].count > Self.perReason ? nil : "\(refusal.file): \(text)"
    }

    /// The messages for those that were not named.
    var rest: [String] {
        groups.filter { $0.count > Self.perReason }.map { group in
            Texts(language).text(.importRefusedMore, "\(group.count - Self.perReason)") + " \(group.first)"
        }
    }
}
