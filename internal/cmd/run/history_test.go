package run

import "testing"

// TestHistory: each execution is a line, with the means of the peers that gave a number.
func TestHistory(t *testing.T) {
	h := newHistory()
	h.add("server.accuracy", 3, 0.75)
	h.add("client.loss", 2, 1)
	h.add("client.loss", 2, 2)
	h.add("server.accuracy", 2, 0.5)
	const want = `round  execution  client.loss  server.accuracy
1      2          1.5          0.5
2      3          -            0.75
`
	if got := h.table(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var none *history
	none.add("x", 1, 1) // keeps nothing
}
