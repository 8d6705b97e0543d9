import Testing

@testable import gateway

struct ColorChoiceTests {
    @Test(arguments: [true, false], [[:], ["NO_COLOR": "1"], ["CLICOLOR_FORCE": "1"]])
    func `the option takes precedence`(capable: Bool, environment: [String: String]) {
        #expect(ColorChoice.always.isOn(capable: capable, environment: environment))
        #expect(!ColorChoice.never.isOn(capable: capable, environment: environment))
    }

    @Test(
        arguments: [
            ([:], true),
            (["NO_COLOR": "1"], false),
            (["NO_COLOR": ""], true),
            (["CLICOLOR": "0"], false),
            (["CLICOLOR": "0", "CLICOLOR_FORCE": "1"], true),
            (["FORCE_COLOR": "1", "NO_COLOR": "1"], false),
        ])
    func `on a terminal colours are on unless disabled`(environment: [String: String], isOn: Bool) {
        #expect(ColorChoice.auto.isOn(capable: true, environment: environment) == isOn)
    }

    @Test(
        arguments: [
            ([:], false),
            (["CLICOLOR": "1"], false),
            (["CLICOLOR_FORCE": "1"], true),
            (["CLICOLOR_FORCE": "0"], false),
            (["FORCE_COLOR": "3"], true),
            (["FORCE_COLOR": "true"], true),
            (["FORCE_COLOR": "false"], false),
            (["FORCE_COLOR": ""], false),
            (["FORCE_COLOR": "1", "NO_COLOR": "1"], false),
        ])
    func `in a pipe colours are off unless forced`(environment: [String: String], isOn: Bool) {
        #expect(ColorChoice.auto.isOn(capable: false, environment: environment) == isOn)
    }

    @Test func `its names are the values of the option`() {
        #expect(ColorChoice.allCases.map(\.rawValue) == ["auto", "always", "never"])
    }
}
