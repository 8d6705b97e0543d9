import Presentation
import Testing

struct TextsTests {
    @Test(arguments: [
        (Language.en, "My Feed", "Comments", "Couldn't connect to server"),
        (.ptBR, "Meu Feed", "Comentários", "Não foi possível conectar com o servidor"),
        (.el, "Το Feed μου", "Σχόλια", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή"),
        (.es, "Mi Feed", "Comentarios", "No se pudo conectar con el servidor"),
    ])
    func `titles and the connection error are as specified`(
        language: Language, feed: String, comments: String, error: String
    ) {
        let texts = Texts(language)
        #expect(texts[.feedTitle] == feed)
        #expect(texts[.commentsTitle] == comments)
        #expect(texts[.connectionError] == error)
    }

    @Test(arguments: Language.allCases)
    func `every text is looked up in its own language's table`(language: Language) throws {
        let table = try TextTable(shippedIn: language).texts
        for key in TextKey.allCases {
            #expect(Texts(language)[key] == table[key.rawValue])
        }
    }

    @Test func `an argument replaces the placeholder and is not parsed as a format`() {
        #expect(Texts(.en).text(.couldNotShow, "100 %@ %d") == "100 %@ %d is not available right now")
    }

    @Test func `texts of all languages can be read concurrently`() async {
        await withTaskGroup { group in
            for index in 0..<200 {
                let language = Language.allCases[index % Language.allCases.count]
                group.addTask { TextKey.allCases.allSatisfy { Texts(language)[$0] != $0.rawValue } }
            }
            #expect(await group.allSatisfy { $0 })
        }
    }
}
