import Aggregates
import Testing

@Suite struct RulesFileTests {
  @Test("An empty object means climb, and base names another preset for the missing members")
  func presets() throws {
    #expect(try Rules(json: "{}") == .climb)
    for preset in Rules.presets {
      #expect(try Rules(json: #"{"base":"\#(preset.name)"}"#) == preset)
    }
    let rules = try Rules(json: #"{"name":"gym","base":"erg","bioLimit":500}"#)
    #expect(rules.name == "gym" && rules.bioLimit == 500 && rules.handleLength == 3...20)
  }

  @Test("Every rule can be set in a rules file")
  func all() throws {
    let rules = try Rules(
      json: """
        {"name":"gym","handleRequired":false,"handleCapitals":false,"handleLength":[2,9],
        "displayNameLimit":5,"displayNameRequired":true,"bioLimit":6,"commentLimit":7,
        "photoLimit":8,"circle":"friends","audience":"public","privateProfiles":"limited",
        "listing":"anybody","messages":"following",
        "textLimits":{"homeGym":9,"groupName":8},"boulderGradeScales":["V"],
        "routeGradeScales":[],"reactions":["wow"],"itemMembers":{"allOf":["text","climb"]},
        "sports":["rowing",{"id":"chess","name":"Chess","icon":"crown"}]}
        """)
    var wanted = Rules(name: "gym")
    wanted.handleRequired = false
    wanted.handleCapitals = false
    wanted.handleLength = 2...9
    wanted.displayNameLimit = 5
    wanted.displayNameRequired = true
    (wanted.bioLimit, wanted.commentLimit, wanted.photoLimit) = (6, 7, 8)
    (wanted.textLimits[.homeGym], wanted.textLimits[.groupName]) = (9, 8)
    (wanted.boulderGradeScales, wanted.routeGradeScales) = (["V"], [])
    (wanted.circle, wanted.audience) = (.friends, .public)
    (wanted.privateProfiles, wanted.listing) = (.limited, .anybody)
    (wanted.messages, wanted.reactions) = (.following, [.wow])
    wanted.itemMembers = .allOf([.text, .climb])
    wanted.sports = [
      Rules.erg.sports[0], Rules.Sport(id: "chess", name: "Chess", icon: "crown"),
    ]
    #expect(rules == wanted)
  }

  @Test(
    "An error of a rules file names the member and the expected value",
    arguments: [
      (#"{"bioLimt":1}"#, "bioLimt: no such member; there are base, name,"),
      (#"{"base":"gym"}"#, "base: one of climb, erg, ride is expected"),
      (#"{"bioLimit":0}"#, "bioLimit: a number above 0 is expected"),
      (#"{"textLimits":1}"#, "textLimits: an object of limits is expected"),
      (#"{"textLimits":{"gym":1}}"#, "textLimits.gym: no such member; there are displayName, bio"),
      (#"{"textLimits":{"homeGym":0}}"#, "textLimits.homeGym: a number above 0 is expected"),
      (#"{"boulderGradeScales":["v","V"]}"#, "boulderGradeScales[1]: it is listed twice"),
      (#"{"routeGradeScales":[""]}"#, "routeGradeScales[0]: a text is expected"),
      (#"{"handleLength":[9,3]}"#, "handleLength: the least and the greatest number"),
      (#"{"handleRequired":1}"#, "handleRequired: true or false is expected"),
      (#"{"audience":"all"}"#, "audience: one of private, friends, followers, public is expected"),
      (#"{"circle":null}"#, "circle: one of following, friends is expected"),
      (#"{"itemMembers":["text"]}"#, "itemMembers: an object with either anyOf or allOf"),
      (#"{"itemMembers":{"anyOf":["txt"]}}"#, "itemMembers.anyOf[0]: one of text, session,"),
      (#"{"sports":["chess"]}"#, "sports[0]: one of ski,"),
      (#"{"sports":["ski","ski"]}"#, "sports[1]: it is listed twice"),
      (#"{"sports":[{"id":"a b","name":"","icon":""}]}"#, "sports[0].id: a text is expected"),
      (#"{"sports":[{"id":"a","name":""}]}"#, "sports[0]: an object of id, name and icon"),
      (#"{"bioLimit":1,"bioLimit":2}"#, "the same member twice"), ("[]", "JSON object"),
    ])
  func wrong(text: String, message: String) throws {
    let fault = #expect(throws: RulesFault.self) { try Rules(json: text) }
    #expect(fault?.description.contains(message) == true, "\(fault?.description ?? "")")
  }
}
