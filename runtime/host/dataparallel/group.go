package dataparallel

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/train"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// group is the group of peers for the training.
type group struct {
	peer       *peer.Peer
	rank, size int
	met        chan struct{}         // closed when these are known
	why        atomic.Pointer[error] // the error of a failed sum
	state      state
	events     io.Writer // of lines for who started the peers; may be nil
	begun      sync.Once
	long       *time.Timer // says that this peer waits for others; nil in tests
	note       note
	takesPart  sync.Once       // begins
	ctx        context.Context // done when this peer does not wait for others any more
	giveUp     context.CancelCauseFunc
	stopWatch  func() // ends what endAlone does; nil: it is not needed
}

// tellsAfter is how long a peer waits for the others before it says so.
const tellsAfter = 3 * time.Second

// join starts this process's peer, and waits until it can begin the first step, which waits for all. It calls waits if that
// takes long. If no other peer is there for the time alone, it gives up; 0 is never.
func join(args []string, alone time.Duration, waits func()) (*group, error) {
	g := &group{met: make(chan struct{}), note: noteOf(args)}
	g.ctx, g.giveUp = context.WithCancelCause(context.Background())
	var err error
	if g.peer, err = peer.Start(context.Background(), g.program(), args...); err != nil {
		return nil, err
	}
	g.long = time.AfterFunc(tellsAfter, waits)
	if alone > 0 {
		ctx, stop := context.WithCancel(g.ctx)
		g.stopWatch = stop
		go g.endAlone(ctx, alone)
	}
	if err := g.peer.Ready(g.ctx); err != nil {
		return nil, g.reason(err)
	}
	<-g.met
	return g, nil
}

// meet determines the rank and the size.
func (g *group) meet(n *runtime.Node) error {
	peers := n.Peers([]wire.PeerID{}, Class)
	g.rank, g.size = slices.Index(peers, n.Self()), len(peers)
	close(g.met)
	return nil
}

// hear records the error of a failed sum, without the execution.
func (g *group) hear(e runtime.Event) {
	if e.Kind == runtime.Failed {
		why := cmp.Or(errors.Unwrap(e.Err), e.Err)
		g.why.CompareAndSwap(nil, &why)
	}
}

// Rank returns the rank of this peer.
func (g *group) Rank() int { return g.rank }

// Size returns the number of peers.
func (g *group) Size() int { return g.size }

// Sum makes x the sum of what all peers have.
func (g *group) Sum(x []float32) error { return g.sum(train.InPlace(x), numbers) }

// SumAs sums what all peers have on a lane, sent as a codec does. The first such sum is part of a step, before
// which all peers have agreed to begin.
func (g *group) SumAs(c collective.Codec, lane int, x train.Addend) error {
	g.tellBegun()
	return g.sum(x, sumName(c, lane))
}

// Gather returns what all peers have.
func (g *group) Gather(x []float32) ([]float32, error) {
	all, err := g.invoke(gathered, tensor.Of(x, len(x)))
	if err != nil {
		return nil, err
	}
	return tensor.Data[float32](all), nil
}

// sum sums x with a module.
func (g *group) sum(x train.Addend, module string) error {
	own := tensor.NewDense[float32](x.Len) // it is lent to the messages, too, until they are acknowledged
	x.Write(own.Data)
	t, err := g.invoke(module, own.Lend())
	own.Memory().Release()
	if err == nil {
		sum := tensor.Lent[float32](t)
		x.Read(sum.Data)
		sum.Memory().Release()
	}
	return err
}

// invoke invokes a module that returns one value.
func (g *group) invoke(module string, value *tensor.Tensor) (*tensor.Tensor, error) {
	out, err := g.peer.Invoke(g.ctx, module, map[string]tensor.Value{"value": value})
	if why := g.why.Load(); err != nil && why != nil {
		return nil, *why
	}
	if err != nil {
		return nil, g.reason(err)
	}
	sum, ok := out["sum"].(*tensor.Tensor)
	if !ok {
		return nil, errNothing
	}
	return sum, nil
}

// reason returns why this peer does not wait any more, or the error itself.
func (g *group) reason(err error) error {
	if why := context.Cause(g.ctx); why != nil {
		return why
	}
	return err
}

var errNothing = errors.New("the peers give no sum: the events of this one are too many")

// farewell is how long a peer waits for the acknowledgement of its last messages.
const farewell = time.Second

// leave waits until all peers have ended their training, or too few are left to know that, and stops this one.
// Messages that are not acknowledged by then do not matter.
func (g *group) leave() {
	g.Sum(make([]float32, 1))
	ended := make(chan struct{})
	go func() {
		g.peer.Close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(farewell):
	}
}
