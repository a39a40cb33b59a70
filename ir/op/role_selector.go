package op

// The methods of a peer selector. The attribute "class" says which peers it
// chooses from.
var (
	// SelectorSelect chooses n peers as the attribute "kind" says: random, or all.
	SelectorSelect = call("peer_selector", "Select",
		[]Port{after}, []Port{{Name: "peers"}},
		gives(a(Peers)), Attr{Name: "class", Kind: String}, Attr{Name: "kind", Kind: String, Arg: true}, Attr{Name: "n", Kind: Int, Arg: true}).Op

	// SelectorSelectNear chooses the n peers that are nearest to a key.
	SelectorSelectNear = call("peer_selector", "SelectNear",
		[]Port{{Name: "key", Types: aTensor}}, []Port{{Name: "peers"}},
		gives(a(Peers)), Attr{Name: "class", Kind: String}, Attr{Name: "n", Kind: Int, Arg: true}).Op

	// SelectorSample draws n peers at random.
	SelectorSample = call("peer_selector", "Sample",
		[]Port{after}, []Port{{Name: "peers"}},
		gives(a(Peers)), Attr{Name: "class", Kind: String}, Attr{Name: "n", Kind: Int, Arg: true}).Op

	// SelectorCurrentView is all that the selector knows.
	SelectorCurrentView = call("peer_selector", "CurrentView",
		[]Port{after}, []Port{{Name: "peers"}},
		gives(a(Peers)), Attr{Name: "class", Kind: String}).Op
)
