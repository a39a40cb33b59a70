package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// graphs is the graphs of a session: models by fingerprint, and single operations that are compiled for
// inputs of some types.
type graphs struct {
	memory *account
	loaded map[string]*loaded // used only by the goroutine that reads messages

	mu         sync.Mutex
	operations map[string]*exec.Graph
}

// loaded is a model that may not be decoded yet. The table holds a reference, and so does each task that uses
// the model.
type loaded struct {
	refs  atomic.Int32
	done  chan struct{}
	graph *exec.Graph
	err   error
}

const maxOperations = 256 // that are kept compiled

// operation runs an operation. With keep, it is kept compiled for the next time.
func (g *graphs) operation(ctx context.Context, o *exec.Operation, in []*tensor.Tensor, keep bool) ([]*tensor.Tensor, error) {
	given := slices.DeleteFunc(slices.Clone(in), func(t *tensor.Tensor) bool { return t == nil })
	if !keep {
		x, err := o.Make(in, g.memory)
		if err != nil {
			return nil, err
		}
		defer x.Close()
		return x.Run(ctx, given)
	}
	key := o.Key(in)
	g.mu.Lock()
	x := g.operations[key]
	g.mu.Unlock()
	if x == nil {
		var err error
		if x, err = o.Make(in, g.memory); err != nil {
			return nil, err
		}
		x = g.keep(key, x)
	}
	out, err := x.Run(ctx, given)
	if errors.As(err, new(*memoryError)) { // graphs that are kept may use too much memory
		g.clear()
		if x, err = o.Make(in, g.memory); err == nil {
			defer x.Close()
			out, err = x.Run(ctx, given)
		}
	}
	return out, err
}

// keep keeps an operation compiled, unless another stream has done so meanwhile.
func (g *graphs) keep(key string, x *exec.Graph) *exec.Graph {
	g.mu.Lock()
	defer g.mu.Unlock()
	if have := g.operations[key]; have != nil {
		x.Close()
		return have
	}
	for other, old := range g.operations {
		if len(g.operations) < maxOperations {
			break
		}
		old.Close()
		delete(g.operations, other)
	}
	g.operations[key] = x
	return x
}

// clear drops all compiled operations.
func (g *graphs) clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, x := range g.operations {
		x.Close()
		delete(g.operations, key)
	}
}

// load loads a model. A message without data asks whether it is loaded.
func (x *session) load(s *stream, m *protocol.Message, b body) {
	id := string(m.Blob)
	if l := x.graphs.loaded[id]; l != nil {
		x.memory.Give(b.bytes)
		l.refs.Add(1)
		x.enqueue(s, func() { x.loaded(m, l) })
		return
	}
	if b.model == nil {
		f := &protocol.Failure{Code: protocol.Unknown, Op: "graph", Text: "the session has no graph " + short(id)}
		if b.refused != nil {
			f = failed("graph", b.refused)
		}
		x.enqueue(s, func() { x.answer(m, f) })
		return
	}
	l := &loaded{done: make(chan struct{})}
	l.refs.Store(2)
	x.graphs.loaded[id] = l
	x.enqueue(s, func() {
		l.decode(id, b.model, x.memory)
		x.memory.Give(b.bytes)
		x.loaded(m, l)
	})
}

// loaded answers with the numbers of inputs and outputs of a model.
func (x *session) loaded(m *protocol.Message, l *loaded) {
	defer l.release()
	g, err := l.wait(x.ctx)
	if err != nil {
		x.answer(m, failed("graph", err))
		return
	}
	reply := &protocol.Message{Kind: protocol.Answer, To: m.To, Attrs: []protocol.Attr{
		{Name: "inputs", Value: int64(g.Inputs())},
		{Name: "outputs", Value: int64(g.Outputs())},
	}}
	x.link.Post(reply, nil)
}

// decode decodes the model, if it has that fingerprint.
func (l *loaded) decode(id string, model []byte, memory *account) {
	defer close(l.done)
	if sum := sha256.Sum256(model); string(sum[:]) != id {
		l.err = fmt.Errorf("the model has fingerprint %s, want %s", short(string(sum[:])), short(id))
		return
	}
	l.graph, l.err = exec.Decode("graph "+short(id), model, memory)
}

func (l *loaded) wait(ctx context.Context) (*exec.Graph, error) {
	select {
	case <-l.done:
		return l.graph, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// short returns the name of a graph for users.
func short(id string) string { return hex.EncodeToString([]byte(id[:min(len(id), 4)])) }

// forget removes a graph. Tasks of earlier messages still use it.
func (g *graphs) forget(id string) {
	if l := g.loaded[id]; l != nil {
		delete(g.loaded, id)
		l.release()
	}
}

// release releases a reference, and with the last one the graph's memory.
//
// Invariant: the goroutine that decodes has a reference until then.
func (l *loaded) release() {
	if l.refs.Add(-1) == 0 && l.graph != nil {
		l.graph.Close()
	}
}

// run runs a graph.
func (x *session) run(s *stream, m *protocol.Message) {
	id := string(m.Blob)
	op := "graph " + short(id)
	l := x.graphs.loaded[id]
	if l == nil {
		x.submit(s, m, op, func([]*tensor.Tensor) ([]*tensor.Tensor, error) {
			return nil, errors.New("the session has no such graph: it was released, or never loaded")
		})
		return
	}
	l.refs.Add(1)
	x.submit(s, m, op, func(in []*tensor.Tensor) ([]*tensor.Tensor, error) {
		g, err := l.wait(x.ctx)
		if err != nil {
			return nil, err
		}
		if len(m.Out) != g.Outputs() {
			return nil, fmt.Errorf("%d outputs are wanted, it has %d", len(m.Out), g.Outputs())
		}
		return g.Run(x.ctx, in)
	}, l.release)
}
