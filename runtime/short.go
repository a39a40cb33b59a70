package runtime

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/wire"
)

// ShortPolicy is what follows a round in which a gather has no quorum.
type ShortPolicy uint8

// The policies.
const (
	ShortFails   ShortPolicy = iota // nothing: the loop ends
	ShortSkips                      // the next round, with the carried values of this one
	ShortRepeats                    // the same round, again
	ShortWaits                      // the gather stays open; the round is repeated when the quorum has become impossible
)

// The minimum duration of a short round, ns; it doubles with each consecutive one. Otherwise a loop without
// peers would spin.
const (
	firstPause   int64 = 1e9
	longestPause int64 = 60e9
)

// continuesLoop reports whether a failure is a missing quorum and the loop continues. Then it plans the execution
// that replaces the next round.
func (n *Node) continuesLoop(f *Frame, block int, err error) bool {
	m := f.module
	if block != m.next || !errors.Is(err, ErrQuorum) || n.phase >= phaseStopping {
		return false
	}
	pause := min(firstPause<<min(m.shortRounds, 8), longestPause)
	m.shortRounds++
	wait := max(f.since+pause-n.now, 0)
	then := "is skipped: the next one begins"
	if m.Short != ShortSkips {
		then = "is repeated"
	}
	if wait > 0 {
		then += fmt.Sprintf(" in %v", time.Duration(wait))
	}
	for i := range f.gathers {
		if g := &f.gathers[i]; g.Armed && !g.HasQuorum() {
			n.reportShort(f, g, then)
		}
	}
	n.wakeAfter(f, m.Again, wait)
	return true
}

// endPauses ends the pauses of loops after a round without a quorum. The loops then end, as no execution begins
// any more.
func (n *Node) endPauses() {
	for f := n.first; f != nil; f = f.next {
		if m := f.module; m.next >= 0 && f.done.Has(m.next) {
			n.arrive(f, m.Again)
		}
	}
}

// nextRoundBegan records that the round after that of a frame has begun normally: its replacement does not run.
func (n *Node) nextRoundBegan(f *Frame) {
	f.module.shortRounds = 0
	f.fired.Add(f.module.again)
	f.finish(f.module.again)
}

// waitsForQuorum reports whether a gather without a quorum continues after its deadline, and reports that in an
// event. It does as long as the module has patience. From then on it waits only for the quorum.
func (n *Node) waitsForQuorum(f *Frame, g *gather) bool {
	if m := f.module; m.Short != ShortWaits || m.Patience > 0 && n.now-g.Since >= m.Patience {
		return false
	}
	g.StopAtQuorum()
	n.reportMissing(f, g)
	n.reportShort(f, g, "waits for its quorum")
	return true
}

// failWaited fails a gather that has waited for its quorum for its maximum time, and thereby the loop.
func (n *Node) failWaited(f *Frame, g *gather) {
	waited := time.Duration(n.now - g.Since)
	e := n.reportShort(f, g, fmt.Sprintf("ends the loop, as it has waited %v for its quorum", waited))
	n.endShort(f, g)
	n.lose(f, g.cut, fmt.Errorf("%w: %v", ErrDeadline, e)) // not an ErrQuorum, after which the loop would continue
}

// reportShort reports that a gather of a round has no quorum, and what follows.
func (n *Node) reportShort(f *Frame, g *gather, then string) *ShortError {
	e := &ShortError{Round: f.body.Round(), Gather: f.module.Cuts[g.cut].Name, Got: g.Count(), Want: g.Min, Then: then}
	for _, i := range g.Asked() {
		p := n.byIndex[i]
		switch c := g.of(p); {
		case c != nil && c.ended && c.broken:
			e.Without = append(e.Without, Absence{p.id, c.reasonBroken()})
		case c != nil && c.ended:
		case n.isDown(p):
			e.Without = append(e.Without, Absence{p.id, errAway})
		default:
			e.Without = append(e.Without, Absence{p.id, errNoAnswer})
		}
	}
	n.queueEvent(Event{Kind: Short, Module: f.module.Name, Name: e.Gather, Exec: f.exec, Err: e})
	return e
}

// Reasons for which a peer is not in a gather, if its contribution has not failed.
var (
	errAway     = errors.New("is down")
	errNoAnswer = errors.New("has not answered")
	errLost     = errors.New("was left out before a restart")
)

// reasonBroken returns why a peer's contribution does not count.
func (f *Frame) reasonBroken() error {
	if f.why == nil {
		return errLost
	}
	return f.why
}

// ShortError reports a round without a quorum, in a [Short] event.
type ShortError struct {
	Round     int64  // counted by the loop, from 0
	Gather    string // the name of the gather in the module
	Got, Want int    // numbers of contributions
	Then      string // what follows
	Without   []Absence
}

// Absence is a peer that a gather lacks, and the reason.
type Absence struct {
	Peer wire.PeerID
	Why  error
}

// Error returns what the round lacks, what becomes of it, and the first few of the peers that did not contribute.
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

// Unwrap returns ErrQuorum.
func (e *ShortError) Unwrap() error { return ErrQuorum }
