package explore

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// activity identifies an activity of a peer.
type activity struct {
	exec   wire.ExecID
	module string
	from   wire.PeerID // of a contribution
}

// cutPoint identifies a cut point of an activity.
type cutPoint struct {
	kind runtime.CutKind
	name string
}

// spans are the activities of a node of which spans were reported, with the beginnings of their waits. An
// activity that has ended has nil.
type spans map[activity]map[cutPoint]int64

// activityOf returns the activity of a span.
func activityOf(s *runtime.Span) activity {
	a := activity{exec: s.Exec, module: s.Module}
	if s.IsContribution() {
		a.from = s.From
	}
	return a
}

// spans checks a span: it is reported once, and an activity encloses its waits.
func (w *world) spans(i int, s *runtime.Span) {
	n := w.net.Node(i)
	if w.open[n] == nil {
		w.open[n] = spans{}
	}
	a := activityOf(s)
	waits, known := w.open[n][a]
	if waits == nil {
		waits = map[cutPoint]int64{}
	}
	cut := cutPoint{s.Kind, s.Cut}
	_, twice := waits[cut]
	switch {
	case s.Start > s.End:
		w.wrong(i, fmt.Errorf("a span of %s.%s begins at %d and ends at %d", s.Module, s.Cut, s.Start, s.End))
	case known && w.open[n][a] == nil:
		w.wrong(i, fmt.Errorf("a span of %s.%s of %v is reported after the end of its activity", s.Module, s.Cut, s.Exec))
	case twice:
		w.wrong(i, fmt.Errorf("the span of %s.%s of %v is reported twice", s.Module, s.Cut, s.Exec))
	case s.Cut != "":
		waits[cut] = s.Start
		w.open[n][a] = waits
		return
	}
	for cut, start := range waits {
		if start < s.Start {
			w.wrong(i, fmt.Errorf("the wait for %s.%s begins at %d, its activity at %d", s.Module, cut.name, start, s.Start))
		}
	}
	w.open[n][a] = nil
}

// enclosed checks that each wait belongs to an activity that has ended.
func (w *world) enclosed() {
	for i := range w.c.peers() {
		for a, waits := range w.open[w.net.Node(i)] {
			if waits != nil && w.net.Node(i).Stats().Live == 0 {
				w.wrong(i, fmt.Errorf("the activity %s of %v has no span, and nothing is left to do", a.module, a.exec))
			}
		}
	}
}
