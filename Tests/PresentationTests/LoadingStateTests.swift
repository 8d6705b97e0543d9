import Foundation
import Presentation
import Testing

/// The table of transitions, which the page's script also follows (`Tests/Web`).
struct LoadingStateTests {
    struct Transition: Decodable, Sendable {
        struct State: Decodable, Equatable, Sendable {
            let resource: String?
            let error: String?
            let isLoading: Bool
        }

        let from: State
        let event: String
        let to: State
        let begins: Bool?
    }

    static func table() throws -> [Transition] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "loading-state.json")
        return try JSONDecoder().decode([Transition].self, from: Data(contentsOf: file))
    }

    @Test(arguments: try table())
    func `a transition has the state of the table`(transition: Transition) throws {
        var state = LoadingState<String>(transition.from)
        switch transition.event {
        case "start": #expect(state.start() == transition.begins)
        case "finish": state.finish("new")
        case "fail": state.fail("message")
        case "cancel": state.cancel()
        case "hideError": state.hideError()
        default: Issue.record("unknown event \(transition.event)")
        }
        let result = Transition.State(resource: state.resource, error: state.error, isLoading: state.isLoading)
        #expect(result == transition.to, "\(transition.event)")
    }

    @Test func `an update changes only what is shown`() {
        var state = LoadingState<[Int]>()
        state.update { $0.append(1) }
        #expect(state == LoadingState<[Int]>())
        _ = state.start()
        state.finish([1])
        _ = state.start()
        state.update { $0.append(2) }
        #expect(state.resource == [1, 2] && state.isLoading)
    }

    @Test func `a mapping that throws is a failure, and what was shown stays`() {
        struct Unreadable: Error {}
        var state = LoadingState<String>()
        #expect(state.loadsOnAppearance && state.start())
        state.finish(message: { _ in "unreadable" }) { "first" }
        #expect(state.resource == "first" && state.start())
        state.finish(message: { _ in "unreadable" }) { throw Unreadable() }
        #expect(state.resource == "first" && state.error == "unreadable" && !state.isLoading)
    }

    @Test func `a part loads by itself only when it appears for the first time`() {
        var state = LoadingState<String>()
        #expect(state.loadsOnAppearance && state.start())
        #expect(!state.loadsOnAppearance)
        state.fail("message")
        #expect(!state.loadsOnAppearance && state.start())
        state.finish("shown")
        #expect(!state.loadsOnAppearance)
    }
}

extension LoadingState<String> {
    /// The state that events lead to.
    init(_ state: LoadingStateTests.Transition.State) {
        self.init()
        if let resource = state.resource {
            _ = start()
            finish(resource)
        }
        if let error = state.error {
            _ = start()
            fail(error)
        }
        if state.isLoading { _ = start() }
    }
}
