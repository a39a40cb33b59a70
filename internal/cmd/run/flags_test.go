package run

import (
	"slices"
	"testing"
)

func TestSetCounts(t *testing.T) {
	list := []class{{"client", 1}, {"server", 1}}
	if err := setCounts("peer", list, "client=8"); err != nil {
		t.Fatal(err)
	}
	if want := []class{{"client", 8}, {"server", 1}}; !slices.Equal(list, want) {
		t.Errorf("got %v, want %v", list, want)
	}
	for _, text := range []string{"client", "client=0", "client=x", "worker=2", "client=8,", "=3"} {
		if err := setCounts("peer", list, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
