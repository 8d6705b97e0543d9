import Foundation
import Testing

@testable import SQLiteKit

@Suite struct ReplacementPaceTests {
    private func time(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_000_000 + seconds) }

    @Test func `the first replacement is at once, the next after a pause`() {
        var pace = ReplacementPace(isGrowing: true)
        #expect(pace.isDue(at: time(0)))
        pace.note(at: time(0))
        #expect(!pace.isDue(at: time(29)))
        #expect(pace.isDue(at: time(30)))
    }

    @Test func `pauses grow to a day`() {
        var pace = ReplacementPace(isGrowing: true)
        var now = time(0)
        pace.note(at: now)
        for pause in [30, 120, 480, 1_920, 7_680, 30_720, 86_400] as [TimeInterval] {
            #expect(!pace.isDue(at: now.addingTimeInterval(pause - 1)), "\(pause)")
            now = now.addingTimeInterval(pause)
            #expect(pace.isDue(at: now), "\(pause)")
            pace.note(at: now)
        }
    }

    @Test func `those of a store whose file is not renamed do not grow`() {
        var pace = ReplacementPace(isGrowing: false)
        for seconds in stride(from: 0, to: 300, by: 30) as StrideTo<TimeInterval> {
            #expect(pace.isDue(at: time(seconds)))
            pace.note(at: time(seconds))
            #expect(!pace.isDue(at: time(seconds + 29)))
        }
    }

    @Test func `after a day without failures the pauses start anew`() {
        var pace = ReplacementPace(isGrowing: true)
        for seconds in [0, 30, 150, 150 + 86_400] as [TimeInterval] { pace.note(at: time(seconds)) }
        #expect(pace.isDue(at: time(150 + 86_400 + 30)))
        pace = ReplacementPace(isGrowing: true)
        for seconds in [0, 30, 150, 150 + 86_399] as [TimeInterval] { pace.note(at: time(seconds)) }
        #expect(!pace.isDue(at: time(150 + 86_399 + 30)))
    }

    @Test func `a clock that is set back does not stop it`() {
        var pace = ReplacementPace(isGrowing: true)
        pace.note(at: time(0))
        #expect(pace.isDue(at: time(-1)))
    }
}
