import Feed
import ServiceKit
import Testing

@Suite struct ChangeMarkTests {
    @Test(arguments: [("A", 0), ("A", 7), ("A-B.C", 10_001), ("", 1)])
    func `a mark is read from its text`(life: String, number: Int) {
        let mark = ChangeMark(life: life, number: number)
        #expect(ChangeMark(mark.text) == mark)
    }

    @Test(arguments: ["", ".", "A", "A.", "7", "A.+7", "A.07", "A. 7", "A.7 ", "A.x", "A.99999999999999999999"])
    func `any other text is not a mark`(text: String) {
        #expect(ChangeMark(text) == nil)
    }
}
