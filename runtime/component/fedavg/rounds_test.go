package fedavg

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// rounds is a partition of a module that contributes x in one block and aggregates in another, after a timer.
type rounds struct {
	average Average
	x       float32
	fails   error // the first block, after it has contributed
	means   []float32
}

func (r *rounds) partition() *runtime.Partition {
	return &runtime.Partition{Class: "server", Components: []runtime.Component{&r.average}, Modules: []runtime.Module{{
		Name:   "server",
		New:    func() runtime.Body { return &roundFrame{r: r} },
		Cuts:   []runtime.Cut{{Kind: runtime.TimerCut, Name: "t"}},
		Blocks: []runtime.Block{{Name: "contribute", Starts: 1}, {Name: "aggregate", Wait: 1}},
	}}}
}

type roundFrame struct {
	runtime.Frame
	r *rounds
}

func (f *roundFrame) Run(e *runtime.Engine, block int) error {
	if block == 0 {
		e.After(&f.Frame, 0, 1e9)
		return errors.Join(f.r.average.Contribute(context.Background(), wire.PeerID{}, vector(f.r.x), 1), f.r.fails)
	}
	mean, err := f.r.average.Aggregate(context.Background())
	f.r.means = append(f.r.means, mean.Data...)
	return err
}

func (r *rounds) node(t *testing.T) *runtime.Node {
	id, _ := wire.PeerIDOf([]byte("0123456789abcdef0123456789abcdef"))
	n, err := runtime.New(runtime.Config{Self: id, Incarnation: 1}, r.partition())
	if err != nil {
		t.Fatal(err)
	}
	poll(n, 0)
	return n
}

func poll(n *runtime.Node, now int64) {
	for ok := true; ok; {
		_, ok = n.Poll(now)
	}
}

// begin begins an execution that contributes x.
func (r *rounds) begin(t *testing.T, n *runtime.Node, x float32) {
	t.Helper()
	r.x = x
	if _, err := n.Invoke(n.Now(), "server"); err != nil {
		t.Fatal(err)
	}
	poll(n, n.Now())
}

// A contribution to a failed execution is in no other execution's mean.
func TestFailedRound(t *testing.T) {
	var r rounds
	n := r.node(t)
	r.fails = errors.New("too few are left")
	r.begin(t, n, 100)
	if r.fails = nil; r.average.rounds.Len() > 0 {
		t.Errorf("contributions to %d executions are still there", r.average.rounds.Len())
	}
	r.begin(t, n, 2)
	if poll(n, 1e9); !slices.Equal(r.means, []float32{2}) {
		t.Errorf("the means are %v, want 2", r.means)
	}
}

// Overlapping executions have separate means, also after a restart.
func TestOverlappingRounds(t *testing.T) {
	var r rounds
	n := r.node(t)
	r.begin(t, n, 2)
	r.begin(t, n, 100)
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	var q rounds
	id := n.Self()
	n, err = runtime.Restore(runtime.Config{Self: id, Incarnation: 2}, q.partition(), b)
	if err != nil {
		t.Fatal(err)
	}
	if poll(n, 2e9); !slices.Equal(q.means, []float32{2, 100}) {
		t.Errorf("the means are %v, want 2 and 100", q.means)
	}
	if q.average.rounds.Len() > 0 {
		t.Errorf("%d rounds are left", q.average.rounds.Len())
	}
}

var _ runtime.Gatherer = (*Average)(nil)
