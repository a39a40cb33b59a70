// Package ingress lets many goroutines feed a Node: those that read connections, those that serve callers, and those in
// which commands have ended. A Node is not safe for concurrent use; a [Handle] is. It is for hosts of your own, in place of
// package peer. One goroutine owns the Node and runs [Handle.Run]; the others call the methods of the Handle.
package ingress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/fault"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrEnded is returned by the methods of a Handle whose Run has returned.
var ErrEnded = errors.New("the host of the node has ended")

// A Handle feeds a Node. Its methods are safe for concurrent use, and wait until the Node has taken what they give: bytes,
// values and Hellos are borrowed until they return.
type Handle struct {
	node  *runtime.Node
	do    func(runtime.Output)
	began time.Time
	mail  *mailbox.Mailbox
	runs  chan struct{} // closed when the program runs: its bootstrap is over
	ended chan struct{}

	// Only the goroutine of Run uses what follows.
	calls    follow.Calls
	stalled  []delivery // for which the node had no room
	commands sync.WaitGroup
}

// delivery is an envelope that the node has not taken yet.
type delivery struct {
	from  wire.PeerID
	bytes []byte
	done  chan<- error
}

// New returns a handle of a node that nothing else uses. Do carries out what the node asks for, on the goroutine of Run; it
// may call the node there. The handle itself runs commands (Run) and yields to others (Yield).
func New(node *runtime.Node, do func(runtime.Output)) *Handle {
	return &Handle{node: node, do: do, began: time.Now(), mail: mailbox.New(), runs: make(chan struct{}), ended: make(chan struct{})}
}

// now returns the node's time.
func (h *Handle) now() int64 { return int64(time.Since(h.began)) }

// Run drives the node until the context ends. It returns when the commands that run then have ended, too.
func (h *Handle) Run(ctx context.Context) error {
	defer h.commands.Wait()
	defer close(h.ended)
	defer h.calls.Fail(ErrEnded)
	wake := time.NewTimer(0)
	defer wake.Stop()
	h.poll() // the bootstrap begins before anything is given
	for {
		h.mail.Run()
		yielded := h.poll()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		if yielded {
			continue
		}
		if at, ok := h.node.WakeAt(); ok {
			wake.Reset(time.Duration(max(at-h.now(), 0)))
		}
		select {
		case <-h.mail.Wake():
		case <-wake.C:
		case <-ctx.Done():
		}
	}
}

// poll carries out what the node asks for, and reports whether it yielded with more to do.
func (h *Handle) poll() (yielded bool) {
	for {
		o, ok := h.node.Poll(h.now())
		if !ok || o.Kind == runtime.Yield {
			if h.retry() && !ok {
				continue
			}
			return ok
		}
		switch o.Kind {
		case runtime.Run:
			h.run(o.Command, o.Task)
			continue
		case runtime.Tell:
			h.calls.Follow(*o.Event)
			if e := o.Event; e.Kind == runtime.Phase && (e.Name == "running" || e.Name == "restored") {
				close(h.runs)
			}
		}
		h.do(o)
	}
}

// run runs a command beside the node.
func (h *Handle) run(id runtime.CommandID, t runtime.Task) {
	h.commands.Go(func() {
		err := protect(t)
		h.Do(func(n *runtime.Node, now int64) error { return n.Complete(now, id, err) })
	})
}

// protect runs a task. If it panics, because data do not fit, it has failed.
func protect(t runtime.Task) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Recovered("command", r)
		}
	}()
	return t.Do()
}

// retry delivers envelopes again for which the node had no room, in their order, and reports whether it has taken one.
func (h *Handle) retry() (progress bool) {
	waiting := h.stalled
	h.stalled = nil
	for _, d := range waiting {
		progress = h.deliver(d) || progress
	}
	return progress
}

// deliver delivers an envelope, or makes it wait, and reports whether it need not wait.
func (h *Handle) deliver(d delivery) bool {
	err := h.node.Deliver(h.now(), d.from, d.bytes)
	if errors.Is(err, runtime.ErrIngressFull) {
		h.stalled = append(h.stalled, d)
		return false
	}
	d.done <- err
	return true
}

// wait waits for an answer of the goroutine of Run.
func wait[T any](h *Handle, answer <-chan T) (x T, err error) {
	select {
	case x = <-answer:
		return x, nil
	case <-h.ended:
		return x, ErrEnded
	}
}

// Do calls f with the node and its time, on the goroutine of Run, and returns f's error. With it goroutines report what
// has no method here, such as a fetched payload or a snapshot that is durable.
func (h *Handle) Do(f func(n *runtime.Node, now int64) error) error {
	answer := make(chan error, 1)
	h.mail.Post(mailbox.NewNote(func() { answer <- f(h.node, h.now()) }))
	err, ended := wait(h, answer)
	return errors.Join(err, ended)
}

// Deliver delivers an envelope of a peer that the channel has authenticated. It waits while the node has no room. The
// envelopes of a peer must be delivered in their order: by one goroutine.
func (h *Handle) Deliver(from wire.PeerID, envelope []byte) error {
	answer := make(chan error, 1)
	h.mail.Post(mailbox.NewNote(func() { h.deliver(delivery{from, envelope, answer}) }))
	err, ended := wait(h, answer)
	return errors.Join(err, ended)
}

// Connected reports a channel to a peer, and the peer's first message.
func (h *Handle) Connected(id wire.PeerID, hello *wire.Hello) error {
	return h.Do(func(n *runtime.Node, now int64) error { return n.Connected(now, id, hello) })
}

// Disconnected reports that the channel to a peer was closed.
func (h *Handle) Disconnected(id wire.PeerID, why error) error {
	return h.Do(func(n *runtime.Node, now int64) error { n.Disconnected(now, id, why); return nil })
}

// DialFailed reports that a peer could not be reached.
func (h *Handle) DialFailed(id wire.PeerID, why error) error {
	return h.Do(func(n *runtime.Node, now int64) error { n.DialFailed(now, id, why); return nil })
}

// result is the end of an execution.
type result struct {
	outputs map[string]tensor.Value
	err     error
}

// admits waits until a module may be invoked: until the program runs, unless its bootstrap waits for this module.
func (h *Handle) admits(ctx context.Context, module string) error {
	boots := false
	err := h.Do(func(n *runtime.Node, _ int64) error {
		boots = slices.Contains(n.NotBooted(), module)
		return nil
	})
	if err != nil || boots {
		return err
	}
	select {
	case <-h.runs:
		return nil
	case <-h.ended:
		return ErrEnded
	case <-ctx.Done():
		return fmt.Errorf("%w: the program has not begun", context.Cause(ctx))
	}
}

// Invoke begins an execution of a module with values for its inputs, in their order, and waits until the module and those
// of this peer that answer it have run. It returns their outputs by name, the last of each. It waits for the end of the
// bootstrap first, unless the bootstrap waits for this module.
func (h *Handle) Invoke(ctx context.Context, module string, inputs ...tensor.Value) (map[string]tensor.Value, error) {
	if err := h.admits(ctx, module); err != nil {
		return nil, fmt.Errorf("invoke %s: %w", module, err)
	}
	end := make(chan result, 1)
	var exec wire.ExecID
	err := h.Do(func(n *runtime.Node, now int64) (err error) {
		done := func(outputs map[string]tensor.Value, err error) { end <- result{outputs, err} }
		exec, err = h.calls.Begin(n, now, done, module, inputs...)
		return err
	})
	if err != nil {
		return nil, err
	}
	select {
	case r := <-end:
		return r.outputs, r.err
	case <-h.ended:
		return nil, fmt.Errorf("invoke %s: %w", module, ErrEnded)
	case <-ctx.Done():
	}
	left := ""
	err = h.Do(func(*runtime.Node, int64) error {
		left = h.calls.Left(exec)
		h.calls.Forget(exec)
		return nil
	})
	return nil, errors.Join(fmt.Errorf("invoke %s: %w; execution %d waits for %s", module, context.Cause(ctx), exec.Number, left), err)
}
