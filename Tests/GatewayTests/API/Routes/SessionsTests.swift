import Foundation
import Testing

@testable import gateway

@Suite struct SessionsTests {
    private let sessions = Sessions(deployment: "/srv/feed")

    @Test func `a session is valid until its end`() {
        let session = sessions.begin(noon)
        #expect(sessions.isValid(session, noon))
        #expect(sessions.isValid(session, noon + Sessions.lifetime - 1))
        #expect(!sessions.isValid(session, noon + Sessions.lifetime))
        #expect(session != sessions.begin(noon))
    }

    @Test func `a session ends when the clock is set back by more than a day`() {
        let session = sessions.begin(noon)
        #expect(sessions.isValid(session, noon - Sessions.longestStepBack))
        #expect(!sessions.isValid(session, noon - Sessions.longestStepBack - 1))
    }

    @Test func `only the process that began a session accepts it`() {
        #expect(!Sessions(deployment: "/srv/feed").isValid(sessions.begin(noon), noon))
    }

    @Test func `deployments on one host have different cookies`() {
        #expect(sessions.cookieName.wholeMatch(of: /session-[0-9]+/) != nil)
        #expect(sessions.cookieName == Sessions(deployment: "/srv/feed").cookieName)
        #expect(sessions.cookieName != Sessions(deployment: "/srv/other").cookieName)
    }

    @Test func `a cookie that another server on the host has set hides no session`() {
        let (name, session) = (sessions.cookieName, sessions.begin(noon))
        for field in ["\(name)=other; \(name)=\(session)", "\(name)=\(session); \(name)=other"] {
            #expect(sessions.hasValid(Cookies(field), noon))
        }
        for field in ["", "\(name)=other", "session-1=\(session)"] { #expect(!sessions.hasValid(Cookies(field), noon)) }
    }

    @Test func `a session that was changed in any place is refused`() {
        let session = sessions.begin(noon)
        for index in session.indices {
            var changed = session
            changed.replaceSubrange(index...index, with: session[index] == "1" ? "2" : "1")
            #expect(!sessions.isValid(changed, noon))
        }
        for end in session.indices { #expect(!sessions.isValid(String(session[..<end]), noon)) }
        for text in ["", ".", "..", "9999999999999999999999..", session + "0", session.uppercased() + "é"] {
            #expect(!sessions.isValid(text, noon))
        }
    }
}
