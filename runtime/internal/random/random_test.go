package random

import "testing"

// The numbers of a peer depend on the seed, the class and the rank. A restored source continues where it was.
func TestSources(t *testing.T) {
	draw := func(seed uint64, class string, rank int) uint64 { return Sources(seed, class, rank)[0].Uint64() }
	first := draw(7, "client", 2)
	if draw(7, "client", 2) != first || draw(8, "client", 2) == first || draw(7, "server", 2) == first || draw(7, "client", 3) == first {
		t.Errorf("it does not follow from what it should: %d", first)
	}
	both := Sources(7, "client+server", 2)
	if len(both) != 2 || both[0].Uint64() != first || both[1].Uint64() != draw(7, "server", 2) {
		t.Error("a peer of two classes does not draw what two peers would")
	}
	state, err := both[0].State.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	again := Sources(0, "client", 0)[0]
	if err := again.State.UnmarshalBinary(state); err != nil || again.Uint64() != both[0].Uint64() {
		t.Errorf("it does not go on where it was: %v", err)
	}
}
