package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Peer is a peer that runs inside a Go program.
type Peer struct {
	h     *host
	ready <-chan struct{} // closed when the program runs
	ended chan struct{}
	err   error // of the run
	stop  context.CancelFunc

	boots chan struct{} // a semaphore: full while a bootstrap runs again
}

// ErrStopped is returned by calls of a peer that has ended or is stopping.
var ErrStopped = errors.New("the peer has stopped")

// Start starts a peer in the calling process. The arguments are those of a peer's command line, such as
// "-state", "dir", "-listen", "127.0.0.1:4001". When ctx ends the peer stops in an orderly way.
func Start(ctx context.Context, p Program, args ...string) (*Peer, error) {
	o, err := parse(&p, args, io.Discard)
	if err != nil {
		return nil, err
	}
	logs := output.NewLog(os.Stderr)
	h, err := newHost(&p, o, os.Stdout, logs)
	if err != nil {
		logs.End()
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	x := &Peer{h: h, ready: h.ready, ended: make(chan struct{}), stop: stop, boots: make(chan struct{}, 1)}
	go func() {
		defer logs.End()
		defer close(x.ended)
		defer h.giveUp()
		defer stop()
		x.err = h.run(ctx)
		h.calls.Fail(ErrStopped)
	}()
	return x, nil
}

// Invoke begins an execution of a module, with a value for each of its inputs, and waits for its end: until the
// module and the modules of this peer that receive the answers to its messages have run. It returns their
// outputs by the names in g.Output; if an output has several values, the last one. It is safe for concurrent
// use. It waits until the program runs, except for modules that the program itself waits for: bootstraps with
// inputs. The values are borrowed until it returns.
//
// An answer that is lost for good never comes: use a ctx with a timeout.
func (x *Peer) Invoke(ctx context.Context, module string, inputs map[string]tensor.Value) (outputs map[string]tensor.Value, err error) {
	if err := x.admits(ctx, module); err != nil {
		return nil, fmt.Errorf("invoke %s: %w", module, err)
	}
	given := func() map[string]tensor.Value { return inputs }
	if outputs, err = x.call(ctx, module, given); !errors.Is(err, runtime.ErrBooting) {
		return outputs, err
	}
	end, err := x.boot(ctx)
	if err != nil {
		return nil, fmt.Errorf("invoke %s: %w", module, err)
	}
	defer end()
	return x.call(ctx, module, given)
}

// boot waits until no bootstrap runs again, and makes later callers wait until end is called.
func (x *Peer) boot(ctx context.Context) (end func(), err error) {
	select {
	case x.boots <- struct{}{}:
		return func() { <-x.boots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// call begins an execution and waits for its end.
func (x *Peer) call(ctx context.Context, module string, inputs func() map[string]tensor.Value) (outputs map[string]tensor.Value, err error) {
	end := make(chan answer, 1)
	var exec wire.ExecID
	began := x.h.Ask(func() {
		exec, err = x.h.invoke(module, inputs(), end)
	})
	switch {
	case !began:
		return nil, fmt.Errorf("invoke %s: %w", module, ErrStopped)
	case err != nil:
		return nil, err
	}
	select {
	case a := <-end:
		return a.outputs, a.err
	case <-x.ended:
		return nil, fmt.Errorf("invoke %s: %w", module, ErrStopped)
	case <-ctx.Done():
	}
	left := ""
	x.h.Ask(func() {
		left = x.h.calls.Left(exec)
		x.h.calls.Forget(exec)
	})
	return nil, fmt.Errorf("invoke %s: %w; execution %d waits for %s", module, context.Cause(ctx), exec.Number, left)
}

// Bootstrap runs the bootstrap of a running peer again: the named modules in their order, or all if no names
// are given. Each gets those of the inputs that it has. The bootstrap of a peer with a single class is the
// module "bootstrap_dispatch".
//
// Until Bootstrap returns, messages of other peers and calls of [Peer.Invoke] wait; executions that have
// begun continue. Bootstrap returns the outputs of all the modules as [Peer.Invoke] does.
func (x *Peer) Bootstrap(ctx context.Context, inputs map[string]tensor.Value, modules ...string) (map[string]tensor.Value, error) {
	if err := x.Ready(ctx); err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	end, err := x.boot(ctx)
	if err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	defer end()
	var own []string
	x.h.Ask(func() { own = x.h.node.Bootstraps() })
	for _, m := range modules {
		if !slices.Contains(own, m) {
			return nil, fmt.Errorf("bootstrap: there is no %q; there are: %s", m, strings.Join(own, ", "))
		}
	}
	if len(modules) == 0 {
		modules = own
	}
	outputs := map[string]tensor.Value{}
	for _, m := range modules {
		out, err := x.call(ctx, m, func() map[string]tensor.Value { return x.h.inputsOf(m, inputs) })
		if err != nil {
			return nil, err
		}
		maps.Copy(outputs, out)
	}
	return outputs, nil
}

// inputsOf returns those of the inputs that a module has.
func (h *host) inputsOf(module string, inputs map[string]tensor.Value) map[string]tensor.Value {
	names, _ := h.node.InputNames(module)
	own := map[string]tensor.Value{}
	for _, name := range names {
		if v, ok := inputs[name]; ok {
			own[name] = v
		}
	}
	return own
}

// admits waits until a module may be invoked: until the program runs, unless the program waits for this
// module.
func (x *Peer) admits(ctx context.Context, module string) error {
	select {
	case <-x.ready:
		return nil
	default:
	}
	boots := false
	if x.h.Ask(func() { boots = slices.Contains(x.h.node.NotBooted(), module) }) && boots {
		return nil
	}
	return x.Ready(ctx)
}

// answer is the result of a call.
type answer struct {
	outputs map[string]tensor.Value
	err     error
}

// invoke begins an execution, and registers a channel for its answer.
func (h *host) invoke(module string, inputs map[string]tensor.Value, end chan<- answer) (exec wire.ExecID, err error) {
	if h.stopping {
		return exec, fmt.Errorf("invoke %s: %w", module, ErrStopped)
	}
	names, err := h.node.InputNames(module)
	if err != nil {
		return exec, err
	}
	var values []tensor.Value
	for _, name := range names {
		v, ok := inputs[name]
		if !ok {
			return exec, fmt.Errorf("invoke %s: input %s is missing", module, name)
		}
		values = append(values, v)
	}
	if len(inputs) > len(names) {
		return exec, fmt.Errorf("invoke %s: %d inputs are given, want %d: %v", module, len(inputs), len(names), names)
	}
	done := func(outputs map[string]tensor.Value, err error) { end <- answer{outputs, err} }
	return h.calls.Begin(h.node, h.Now(), done, module, values...)
}

// Ready waits until the program runs and the peers that -await names are connected.
func (x *Peer) Ready(ctx context.Context) error {
	select {
	case <-x.ready:
		return nil
	default:
	}
	select {
	case <-x.ready:
		return nil
	case <-x.ended:
		return ErrStopped
	case <-ctx.Done():
		return fmt.Errorf("%w: the program has not begun", context.Cause(ctx))
	}
}

// Connected returns the number of other peers to which there is a connection.
func (x *Peer) Connected() int { return int(x.h.Streams.Load()) }

// ID returns the peer's id.
func (x *Peer) ID() wire.PeerID { return x.h.config.Self }

// Addresses returns the addresses at which the peer can be dialed.
func (x *Peer) Addresses() []wire.Address { return x.h.transport.Addresses() }

// Wait waits until the peer has ended, and returns its error.
func (x *Peer) Wait() error {
	<-x.ended
	return x.err
}

// Close stops the peer in an orderly way, and waits for its end.
func (x *Peer) Close() error {
	x.stop()
	return x.Wait()
}
