package runtime

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// ShortPolicy says what follows a round of which a gather has no quorum.
type ShortPolicy uint8

// The policies.
const (
	ShortFails   ShortPolicy = iota // nothing: the loop ends
	ShortSkips                      // the next round, with what this one began with
	ShortRepeats                    // the same round, once more
	ShortWaits                      // the gather stays open; a round that cannot have its quorum any more is repeated
)

// A round that is short lasts this long at least, ns; each in a row twice as long as the
// one before. Otherwise a loop without peers would spin.
const (
	firstPause   int64 = 1e9
	longestPause int64 = 60e9
)

// carriesOn reports whether what failed is a quorum, and the loop goes on all the same:
// then the execution that takes the place of the next round is planned.
func (n *Node) carriesOn(f *Frame, block int, err error) bool {
	m := f.module
	if block != m.next || !errors.Is(err, ErrQuorum) || n.phase >= phaseStopping {
		return false
	}
	pause := min(firstPause<<min(m.shorts, 8), longestPause)
	m.shorts++
	wait := max(f.since+pause-n.now, 0)
	then := "is skipped: the next one begins"
	if m.Short != ShortSkips {
		then = "is repeated"
	}
	if wait > 0 {
		then += fmt.Sprintf(" in %v", time.Duration(wait))
	}
	for i := range f.gathers {
		if g := &f.gathers[i]; g.armed && g.count < g.min {
			n.tellShort(f, g, then)
		}
	}
	n.After(f, m.Again, wait)
	return true
}

// endPauses lets loops go on that pause after a round without a quorum: to their end, as
// nothing begins any more.
func (n *Node) endPauses() {
	for f := n.first; f != nil; f = f.next {
		if m := f.module; m.next >= 0 && f.done.Has(m.next) {
			n.arrive(f, m.Again)
		}
	}
}

// endedWell notes that the round after that of a frame has begun in the usual way: what
// would have taken its place does not run.
func (n *Node) endedWell(f *Frame) {
	f.module.shorts = 0
	f.fired.Add(f.module.again)
	f.finish(f.module.again)
}

// staysOpen reports whether a gather without a quorum goes on after its deadline, and
// tells so. It does as long as the module has patience. Nobody but the quorum is waited for then.
func (n *Node) staysOpen(f *Frame, g *gather) bool {
	if m := f.module; m.Short != ShortWaits || m.Patience > 0 && n.now-g.since >= m.Patience {
		return false
	}
	g.full = g.min
	n.tellMissing(f, g)
	n.tellShort(f, g, "waits for its quorum")
	return true
}

// loseWaited fails a gather that has waited for its quorum for as long as it may, and with
// it the loop.
func (n *Node) loseWaited(f *Frame, g *gather) {
	waited := time.Duration(n.now - g.since)
	e := n.tellShort(f, g, fmt.Sprintf("ends the loop, as it has waited %v for its quorum", waited))
	n.endShort(f, g)
	n.lose(f, g.cut, fmt.Errorf("%w: %v", ErrDeadline, e)) // no ErrQuorum, after which the loop would go on
}

// tellShort tells that a gather of a round has no quorum, and what follows.
func (n *Node) tellShort(f *Frame, g *gather, then string) *ShortError {
	e := &ShortError{Round: f.body.Round(), Gather: f.module.Cuts[g.cut].Name, Got: g.count, Want: g.min, Then: then}
	for _, p := range g.asked {
		switch c := g.of(p); {
		case c != nil && c.ended && c.broken:
			e.Without = append(e.Without, Absence{p.id, c.whyBroken()})
		case c != nil && c.ended:
		case p.down:
			e.Without = append(e.Without, Absence{p.id, errAway})
		default:
			e.Without = append(e.Without, Absence{p.id, errNoAnswer})
		}
	}
	n.tell(Event{Kind: Short, Module: f.module.Name, Name: e.Gather, Exec: f.exec, Err: e})
	return e
}

// Why a peer is not in a gather that has not failed for it.
var (
	errAway     = errors.New("is down")
	errNoAnswer = errors.New("has not answered")
	errLost     = errors.New("was left out before a restart")
)

// whyBroken is why what a peer sent does not count.
func (f *Frame) whyBroken() error {
	if f.why == nil {
		return errLost
	}
	return f.why
}

// ShortError says that a round has no quorum: of a [Short] event.
type ShortError struct {
	Round     int64  // from 0, as the loop counts
	Gather    string // its name in the module
	Got, Want int    // contributions
	Then      string // what follows
	Without   []Absence
}

// Absence is a peer that was asked, and is not in a gather.
type Absence struct {
	Peer wire.PeerID
	Why  error
}

func (e *ShortError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "round %d %s: %s has %d contributions, want %d", e.Round, e.Then, e.Gather, e.Got, e.Want)
	for i, a := range e.Without {
		if i == maxNamed {
			fmt.Fprintf(&s, "; and %d more", len(e.Without)-i)
			break
		}
		fmt.Fprintf(&s, "; %v: %v", a.Peer, a.Why)
	}
	return s.String()
}

// Unwrap says that it is a matter of the quorum.
func (e *ShortError) Unwrap() error { return ErrQuorum }
