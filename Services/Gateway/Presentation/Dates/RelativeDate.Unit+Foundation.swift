import Foundation

/// Foundation's names for the units, for calendar arithmetic and for formatting.
extension RelativeDate.Unit {
    var component: Calendar.Component {
        switch self {
        case .second: .second
        case .minute: .minute
        case .hour: .hour
        case .day: .day
        case .week: .weekOfYear
        case .month: .month
        case .year: .year
        }
    }

    var field: Date.RelativeFormatStyle.Field {
        switch self {
        case .second: .second
        case .minute: .minute
        case .hour: .hour
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }
}
