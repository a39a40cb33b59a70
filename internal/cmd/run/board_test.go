package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
)

// TestBoard passes lines of peers to a board, and shows its table after those of each section lines/N. A line
// "ending" is one of the test.
func TestBoard(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		classes := []class{{"client", []int{0, 1, 2}}, {"server", []int{0}}}
		b := newBoard(classes)
		for _, name := range a.Sections() {
			step, ok := strings.CutPrefix(name, "lines/")
			if !ok {
				continue
			}
			for text := range strings.Lines(a.Get(name)) {
				take(t, b, text)
			}
			out := strings.Join(b.table(10), "\n") + "\n" + b.summary() + "\n"
			if b.over() {
				out += fmt.Sprintf("over, failure: %v\n", b.failure)
			}
			a.Check("out/"+step, out)
		}
	})
}

func take(t *testing.T, b *board, text string) {
	t.Helper()
	if strings.TrimSpace(text) == "ending" {
		b.ending = true
		return
	}
	b.event(eventOf(t, b, text))
}

// eventOf converts a line to an event half a second after the last one.
func eventOf(t *testing.T, b *board, text string) event {
	t.Helper()
	e := event{seconds: b.seconds + 0.5}
	if err := json.Unmarshal([]byte(text), &e.Line); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

// TestTableLimit omits rows that do not fit the terminal.
func TestTableLimit(t *testing.T) {
	b := newBoard([]class{{"client", make([]int, 30)}})
	lines := b.table(4)
	if len(lines) != 7 || lines[5] != "… and 26 more" || lines[6] != "30 starting after 0.0 s" {
		t.Errorf("got %q", lines)
	}
}

// TestUnanswered: a program without rounds is done when all inputs are given and answered, not before.
func TestUnanswered(t *testing.T) {
	b := newBoard([]class{{"client", []int{0}}})
	b.feed("client-0")
	for _, c := range []struct {
		line string
		done bool
	}{
		{`{"peer":"client-0","kind":"status","state":"running","unanswered":2}`, false},
		{`{"peer":"client-0","kind":"status","state":"running","fed":true,"unanswered":1}`, false},
		{`{"peer":"client-0","kind":"status","state":"running","fed":true}`, true},
	} {
		if take(t, b, c.line); b.complete() != c.done {
			t.Errorf("after %s: done is %v, want %v", c.line, b.complete(), c.done)
		}
	}
}
