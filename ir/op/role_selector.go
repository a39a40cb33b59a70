package op

// The methods of a peer selector. The attribute "class" says which peers it
// chooses from.
var (
	// SelectorSelect chooses n peers as the attribute "kind" says: random, or all.
	SelectorSelect = call("peer_selector", "Select", Arity{0, Any}, One, takes(triggers, a(Peers)), "kind", "n")

	// SelectorSelectNear chooses the n peers that are nearest to a key.
	SelectorSelectNear = call("peer_selector", "SelectNear", One, One, takes(tensors, a(Peers)), "n")

	// SelectorSample draws n peers at random.
	SelectorSample = call("peer_selector", "Sample", Arity{0, Any}, One, takes(triggers, a(Peers)), "n")

	// SelectorCurrentView is all that the selector knows.
	SelectorCurrentView = call("peer_selector", "CurrentView", Arity{0, Any}, One, takes(triggers, a(Peers)))
)
