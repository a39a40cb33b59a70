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

// TestFruitless: rounds come to their end, but none of them had its quorum. One that had, or goes on waiting for it, is
// enough to say nothing.
func TestFruitless(t *testing.T) {
	const (
		begun = `{"peer":"server-0","kind":"published","name":"server.begun"}`
		value = `{"peer":"server-0","kind":"emitted","name":"server.model","round":%d}`
		short = `{"peer":"server-0","kind":"short","name":"server.update","round":%d,"error":"round 7 %s: no quorum"}`
		done  = `{"peer":"server-0","kind":"published","name":"server.done","round":%d}`
	)
	skipped := func(round int) string { return fmt.Sprintf(short, round, "is skipped") }
	is := func(format string, round int) string { return fmt.Sprintf(format, round) }
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"all":                  {[]string{begun, skipped(2), skipped(3), is(done, 3)}, "server-0: no round had its quorum, of 2; the last: round 7 is skipped: no quorum"},
		"all, with values":     {[]string{begun, is(value, 2), skipped(2), skipped(2), is(value, 3), skipped(3), is(done, 3)}, "server-0: no round had its quorum, of 2; the last: round 7 is skipped: no quorum"},
		"not the first":        {[]string{begun, is(value, 2), skipped(3), is(done, 3)}, ""},
		"not the last":         {[]string{begun, skipped(2), is(done, 3)}, ""},
		"not one between":      {[]string{begun, skipped(2), skipped(4), is(done, 4)}, ""},
		"one waits":            {[]string{begun, fmt.Sprintf(short, 2, "waits for its quorum"), is(done, 2)}, ""},
		"they have not ended":  {[]string{begun, skipped(2)}, ""},
		"other modules' event": {[]string{begun, is(value, 2), `{"peer":"server-0","kind":"short","name":"interval.x","round":2}`, is(done, 2)}, ""},
		"none":                 {[]string{begun, is(value, 2), is(value, 3), is(done, 3)}, ""},
	} {
		b := newBoard([]class{{"server", []int{0}}})
		for _, text := range c.lines {
			take(t, b, text)
		}
		if got := b.fruitless(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
