/// The order in which subjects are measured.
///
/// Each round begins with the next subject, and every second round runs backwards. So no subject is always first, and none
/// always follows the same other one.
package enum Turns {
    /// - Parameter round: the number of the round, from 1.
    package static func order<Element>(_ subjects: [Element], inRound round: Int) -> [Element] {
        // A step of `count - 1` is one step back.
        let step = round.isMultiple(of: 2) ? subjects.count - 1 : 1
        return subjects.indices.map { subjects[(round - 1 + $0 * step) % subjects.count] }
    }
}
