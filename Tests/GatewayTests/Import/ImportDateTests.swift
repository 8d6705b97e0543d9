import Foundation
import JSON
import Testing

@testable import gateway

struct ImportDateTests {
    @Test(arguments: [
        ("2019-05-04T12:00:00Z", 1_556_971_200), ("2019-05-04T12:00:00", 1_556_971_200), ("2019-05-04", 1_556_928_000),
        (" 2019-05-04 12:00:00.25 ", 1_556_971_200), ("2019-05-04 14:00:00+02:00", 1_556_971_200),
        ("2019-05-04 14:00:00 +0200", 1_556_971_200), ("2019-05-04 12:00:00 UTC", 1_556_971_200),
        ("2019-05-04T12:00Z", 1_556_971_200), ("20190504T120000Z", 1_556_971_200),
        ("2019:05:04 12:00:00", 1_556_971_200),
        ("2019/05/04", 1_556_928_000), ("yesterday", nil), ("2019-13-04", nil), ("2019-05-04T25:00:00Z", nil),
        ("", nil),
    ])
    func `a date may lack its zone and its time`(text: String, seconds: Int?) throws {
        let seconds = seconds.map(TimeInterval.init)
        #expect(ImportDate.parse(text)?.timeIntervalSince1970.rounded(.down) == seconds)
    }

    @Test(arguments: [
        ("1556971200", 1_556_971_200), ("\"1556971200\"", 1_556_971_200), ("1556971200.75", 1_556_971_200.75),
        ("1556971200000", 1_556_971_200), ("0", 0), ("-86400", -86_400), ("99999999999", 99_999_999_999),
        ("\"2019-05-04T12:00:00Z\"", 1_556_971_200), ("9223372036854775807", nil), ("1e300", nil), ("\"x\"", nil),
        ("\"\"", nil), ("\"nan\"", nil),
        ("true", nil),
        ("1e999", nil),
    ])
    func `an instant may be a text, a fraction, or milliseconds`(json: String, seconds: TimeInterval?) throws {
        #expect(ImportDate.parse(try JSONValue(json: json))?.timeIntervalSince1970 == seconds)
    }
}
