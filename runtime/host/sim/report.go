package sim

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/host/rusage"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// run is a run and its results.
type run struct {
	options options
	net     *mem.Network
	out     io.Writer
	began   time.Time
	peers   []peer
	names   map[wire.PeerID]string // of the peers
	killer  *killer                // nil: no peer is killed
	busy    int                    // the peer that was busy at the last check of all
	loops   follow.Loops
	failed  int
	err     error
}

type peer struct {
	class string
	rank  int
	down  bool // it has been killed
	feed  *feed.Feed

	ungiven []string // inputs of the host for which there are no files
	begins  bool     // it has something to do without messages of other peers
}

func (p *peer) name() string { return fmt.Sprintf("%s-%d", p.class, p.rank) }

// line is the line of an event.
type line struct {
	Time   float64 `json:"time"` // virtual, seconds
	Class  string  `json:"class"`
	Rank   int     `json:"rank"`
	From   string  `json:"from,omitempty"`
	Name   string  `json:"name,omitempty"`
	Round  uint64  `json:"round,omitempty"` // the execution's number at its origin
	Value  any     `json:"value,omitempty"` // like that of processes, with type and hash
	Type   string  `json:"type,omitempty"`
	Hash   string  `json:"hash,omitempty"`
	Event  string  `json:"event,omitempty"`
	Error  string  `json:"error,omitempty"`
	Module string  `json:"module,omitempty"`
}

// told writes the event of a peer.
func (r *run) told(i int, e runtime.Event) {
	r.peers[i].feed.Follow(e)
	l := r.line(i)
	l.Module, l.Name, l.Round = e.Module, e.Name, e.Exec.Number
	if !e.Peer.IsZero() {
		l.From = r.nameOf(e.Peer)
	}
	if r.killer != nil {
		r.killer.told(i, e)
	}
	switch e.Kind {
	case runtime.Emitted:
		r.keep(i, e)
		if t, ok := e.Value.(*tensor.Tensor); ok {
			l.Value, l.Type, l.Hash = feed.Shown(t)
		}
	case runtime.Failed, runtime.Refused, runtime.Missing, runtime.PeerDown, runtime.Short:
		l.Event = e.Kind.String()
		if e.Err != nil {
			l.Error = follow.Text(e.Err, r.nameOf)
		}
		if e.Kind != runtime.Short { // its causes were counted
			r.failed++
		}
	case runtime.Published:
		r.loops.Published(i, e.Module, e.Name)
		l.Event = e.Kind.String()
		if t, ok := e.Value.(*tensor.Tensor); ok {
			l.Value, l.Type, l.Hash = feed.Shown(t)
		}
	default:
		return
	}
	r.write(l)
}

// line returns a line about a peer, now.
func (r *run) line(i int) line {
	p := &r.peers[i]
	return line{Time: float64(r.net.Now()) / 1e9, Class: p.class, Rank: p.rank}
}

func (r *run) write(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(r.out, "%s\n", b)
	}
	if r.err == nil {
		r.err = err
	}
}

// over reports whether the program has ended: there were rounds or inputs, or nothing can begin, and no work is left. A
// loop that is not done then was aborted, and executions that live then wait for what nobody gives.
func (r *run) over() bool {
	if !r.loops.Begun() && !r.fed() && !r.starved() {
		return false
	}
	for range r.peers {
		if !r.rests(r.busy) {
			return false
		}
		r.busy = (r.busy + 1) % len(r.peers)
	}
	return true
}

// rests reports whether a peer is idle, with executions that wait or without.
func (r *run) rests(i int) bool {
	n := r.net.Node(i)
	if n == nil || n.UnreportedResults() > 0 {
		return false
	}
	s := n.Stats()
	return s.Live+s.Outbound == 0 || n.IsIdle()
}

// done reports whether the program has completed: all round loops, or all executions of inputs and what followed from
// them.
func (r *run) done() bool {
	if r.loops.Begun() {
		return r.loops.Done()
	}
	return r.fed() && r.unanswered() == 0 && !r.blocked()
}

// starved reports whether nothing can begin, as the peers wait for inputs that no file gives.
func (r *run) starved() bool {
	starved := false
	for i := range r.peers {
		if r.peers[i].begins {
			return false
		}
		starved = starved || r.peers[i].ungiven != nil
	}
	return starved
}

// blocked reports whether an execution of an idle peer waits.
func (r *run) blocked() bool {
	for i := range r.peers {
		if n := r.net.Node(i); n != nil && n.Stats().Live > 0 && n.IsIdle() {
			return true
		}
	}
	return false
}

// unanswered returns how many executions of inputs have no answer: they have not ended, or have failed.
func (r *run) unanswered() int {
	n := 0
	for i := range r.peers {
		n += r.peers[i].feed.Unanswered()
	}
	return n
}

// stuck writes what the peers wait for, if the program has not completed: first the inputs that nobody gives.
func (r *run) stuck() {
	if r.starved() || r.blocked() {
		r.askInputs()
	}
	left := maxStuck
	for i := range r.peers {
		n := r.net.Node(i)
		if n == nil {
			continue
		}
		n.Waits(func(w *runtime.Wait) bool {
			l := r.line(i)
			l.Event, l.Module, l.Name, l.Round, l.Error = "waiting", w.Module, w.Cut, w.Exec.Number, w.Text(n.Now(), r.nameOf)
			r.write(l)
			left--
			return left > 0
		})
		if left == 0 {
			return
		}
	}
}

// askInputs writes the inputs of the host that no peer of a class is given.
func (r *run) askInputs() {
	fed := map[string]bool{}
	for i := range r.peers {
		p := &r.peers[i]
		fed[p.class] = fed[p.class] || p.feed.Any()
	}
	for i := range r.peers {
		if p := &r.peers[i]; !fed[p.class] && p.ungiven != nil {
			fed[p.class] = true // the others wait for the same
			l := r.line(i)
			l.Event, l.Error = "waiting", feed.Ask(p.ungiven, "--in", p.class+".")
			r.write(l)
		}
	}
}

// maxStuck is how many waits are written.
const maxStuck = 32

// nameOf returns the name of a peer.
func (r *run) nameOf(id wire.PeerID) string {
	if name := r.names[id]; name != "" {
		return name
	}
	return id.String()
}

// end writes the last line.
func (r *run) end() {
	r.write(struct {
		Time   float64 `json:"time"`
		Steps  int     `json:"steps"`
		Failed int     `json:"failed"`
		Killed int     `json:"killed,omitempty"`
		Done   bool    `json:"done"`
		Open   int     `json:"unanswered,omitempty"` // executions of inputs that have not ended, or have failed
		Hash   string  `json:"hash"`                 // of all steps
		*taken
	}{float64(r.net.Now()) / 1e9, r.net.Steps, r.failed, r.killed(), r.done(), r.unanswered(), fmt.Sprintf("%016x", r.net.Hash()), r.taken()})
}

// taken is the resource usage of a run, which differs from run to run.
type taken struct {
	Wall   float64 `json:"wall"`   // seconds
	CPU    float64 `json:"cpu"`    // processor seconds
	Memory uint64  `json:"memory"` // maximum bytes
}

// taken returns nil if it was not requested.
func (r *run) taken() *taken {
	if !r.options.measure {
		return nil
	}
	return &taken{time.Since(r.began).Seconds(), rusage.CPU().Seconds(), rusage.Memory()}
}
