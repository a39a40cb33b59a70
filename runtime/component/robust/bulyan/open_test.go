package bulyan

import (
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// A negative number of hostile peers is refused before the program begins, and too few contributions in a round.
func TestRefused(t *testing.T) {
	if err := (&Aggregator{Faulty: 1}).Open(runtime.Env{}); err != nil {
		t.Error(err)
	}
	if err := (&Aggregator{Faulty: -1}).Open(runtime.Env{}); err == nil || err.Error() != "bulyan.Aggregator: Faulty is -1, want 0 or more" {
		t.Errorf("%v, want that Faulty is refused", err)
	}
	x := [][]float32{{1}, {2}}
	err := (&Aggregator{Faulty: 1}).rule(make([]float32, 1), x, nil)
	if want := "2 contributions, want at least 7 against 1 hostile ones: set a larger quorum, or a smaller Faulty"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
