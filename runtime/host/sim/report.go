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

// run is a run and what has come of it.
type run struct {
	options options
	net     *mem.Network
	out     io.Writer
	began   time.Time
	peers   []peer
	names   map[wire.PeerID]string // of the peers
	killer  *killer                // nil: nobody is killed
	busy    int                    // the peer that had something left to do when all were asked last
	loops   follow.Loops
	failed  int
	err     error
}

type peer struct {
	class string
	rank  int
	down  bool // it has been killed
	feed  *feed.Feed
}

func (p *peer) name() string { return fmt.Sprintf("%s-%d", p.class, p.rank) }

// line is what is written of an event.
type line struct {
	Time   float64 `json:"time"` // virtual, seconds
	Class  string  `json:"class"`
	Rank   int     `json:"rank"`
	From   string  `json:"from,omitempty"`
	Name   string  `json:"name,omitempty"`
	Round  uint64  `json:"round,omitempty"` // the execution's number at its origin
	Value  any     `json:"value,omitempty"` // as processes write it, with type and hash
	Type   string  `json:"type,omitempty"`
	Hash   string  `json:"hash,omitempty"`
	Event  string  `json:"event,omitempty"`
	Error  string  `json:"error,omitempty"`
	Module string  `json:"module,omitempty"`
}

// told writes what a peer tells its host.
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
			l.Error = e.Err.Error()
		}
		if e.Kind != runtime.Short { // what has led to it has been counted
			r.failed++
		}
	case runtime.Published:
		r.loops.Published(i, e.Module, e.Name)
		l.Event = e.Kind.String()
	default:
		return
	}
	r.write(l)
}

// line is one that is about a peer, now.
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

// over reports whether the program has come to its end: there were rounds or inputs,
// and nothing is left to do. A loop that is not done then has broken off.
func (r *run) over() bool {
	if !r.loops.Begun() && !r.fed() {
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

// rests reports whether a peer has nothing left to do.
func (r *run) rests(i int) bool {
	n := r.net.Node(i)
	if n == nil {
		return false
	}
	s := n.Stats()
	return s.Live+s.Outbound+n.Untold() == 0
}

// done reports whether the program has done what it had to: all loops of rounds, and
// all that it was given.
func (r *run) done() bool {
	if r.loops.Begun() && !r.loops.Done() {
		return false
	}
	return r.loops.Begun() || r.fed() && r.unanswered() == 0
}

// unanswered is how many executions that were begun with inputs have not come to their
// end.
func (r *run) unanswered() int {
	n := 0
	for i := range r.peers {
		n += r.peers[i].feed.Unanswered()
	}
	return n
}

// stuck writes what peers wait for, of a program that has not come to its end.
func (r *run) stuck() {
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

// maxStuck is how many waits are written.
const maxStuck = 32

// nameOf is what a peer is called.
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
		Open   int     `json:"unanswered,omitempty"` // inputs whose executions have not come to their end
		Hash   string  `json:"hash"`                 // of all that happened
		*taken
	}{float64(r.net.Now()) / 1e9, r.net.Steps, r.failed, r.killed(), r.done(), r.unanswered(), fmt.Sprintf("%016x", r.net.Hash()), r.taken()})
}

// taken is what a run has taken of the machine, which differs from run to run.
type taken struct {
	Wall   float64 `json:"wall"`   // seconds
	CPU    float64 `json:"cpu"`    // seconds of processors
	Memory uint64  `json:"memory"` // bytes at most
}

// taken returns nothing if nobody asked for it.
func (r *run) taken() *taken {
	if !r.options.measure {
		return nil
	}
	return &taken{time.Since(r.began).Seconds(), rusage.CPU().Seconds(), rusage.Memory()}
}
