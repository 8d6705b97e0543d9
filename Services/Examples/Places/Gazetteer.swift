import Foundation

/// The coordinates of places, from a built-in table: no location leaves the machine.
enum Gazetteer {
    /// - Parameter location: a place and its country, with or without regions between them: `Oia, Santorini, Greece`. Case and accents
    ///   do not matter.
    static func coordinates(of location: String) -> Coordinates? {
        let parts = location.split(separator: ",").map { folded($0.trimmingCharacters(in: .whitespaces)) }
        guard let place = parts.first, let country = parts.last, parts.count > 1 else { return nil }
        return table["\(place), \(country)"]
    }

    private static func folded(_ name: String) -> String {
        name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: Locale(identifier: "en"))
    }

    private static let table = Dictionary(
        uniqueKeysWithValues: places.map { name, latitude, longitude in
            (folded(name), Coordinates(latitude: latitude, longitude: longitude))
        })

    private static let places: [(name: String, latitude: Double, longitude: Double)] = [
        ("Athens, Greece", 37.98, 23.73),
        ("Berlin, Germany", 52.52, 13.40),
        ("Cairns, Australia", -16.92, 145.77),
        ("Cairo, Egypt", 30.04, 31.24),
        ("Cape Town, South Africa", -33.93, 18.42),
        ("County Kerry, Ireland", 52.15, -9.57),
        ("Frankfurt am Main, Germany", 50.11, 8.68),
        ("Göreme, Türkiye", 38.64, 34.83),
        ("Hội An, Vietnam", 15.88, 108.33),
        ("Jatiluwih, Indonesia", -8.37, 115.13),
        ("Kyoto, Japan", 35.01, 135.77),
        ("Lisbon, Portugal", 38.72, -9.14),
        ("London, United Kingdom", 51.51, -0.13),
        ("Madrid, Spain", 40.42, -3.70),
        ("Merzouga, Morocco", 31.10, -4.01),
        ("Mexico City, Mexico", 19.43, -99.13),
        ("Naousa, Greece", 37.12, 25.24),
        ("Nazaré, Portugal", 39.60, -9.07),
        ("New York, United States", 40.71, -74.01),
        ("Oberstdorf, Germany", 47.41, 10.28),
        ("Oia, Greece", 36.46, 25.38),
        ("Paris, France", 48.86, 2.35),
        ("Porto, Portugal", 41.15, -8.61),
        ("Porto Covo, Portugal", 37.85, -8.79),
        ("Reine, Norway", 67.93, 13.09),
        ("Rio de Janeiro, Brazil", -22.91, -43.17),
        ("Rome, Italy", 41.90, 12.50),
        ("Salvador, Brazil", -12.97, -38.51),
        ("Shirakawa, Japan", 36.26, 136.91),
        ("Sonora, Mexico", 29.30, -110.33),
        ("Sydney, Australia", -33.87, 151.21),
        ("Valensole, France", 43.84, 5.98),
    ]
}
