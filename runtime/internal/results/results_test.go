package results

import (
	"fmt"
	"strings"
	"testing"
)

// TestResults: results are taken in their order, each when its snapshot is durable. At the limit, those of other
// peers are lost, and this peer's own replace the oldest.
func TestResults(t *testing.T) {
	var q Queue[string]
	keep := func(name string, own bool, epoch uint64) string {
		if q.Keep(name, own, epoch, 2) {
			return "lost"
		}
		return "kept"
	}
	next := func(durable uint64) string {
		e, ok := q.Next(func(epoch uint64) bool { return epoch <= durable })
		if !ok {
			return "none"
		}
		return e
	}
	var got []string
	say := func(s string) { got = append(got, s) }
	say(next(9))
	say(keep("a", false, 1))
	say(keep("b", true, 2))
	say(next(0))
	say(keep("c", false, 2)) // of another peer: not kept
	say(keep("d", true, 2))  // instead of a
	say(next(1))             // b waits for the second snapshot, and d waits behind it
	say(next(2))
	say(keep("e", false, 3))
	say(next(2))
	say(next(2))
	say(fmt.Sprint(q.Len()))
	const want = "none kept kept none lost lost none b kept d none 1"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestResultsWithoutRoom: with a limit of none, nothing is kept and nothing is replaced.
func TestResultsWithoutRoom(t *testing.T) {
	var q Queue[string]
	if !q.Keep("a", true, 1, 0) || q.Len() != 0 {
		t.Errorf("%d results wait, want none", q.Len())
	}
}
