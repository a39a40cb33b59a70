package follow

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// open returns calls with open executions of module ask, which waits for the modules left.
func open(told *[]string, left ...string) *Calls {
	c := &Calls{open: map[wire.ExecID]*call{}}
	for i := range uint64(2) {
		c.open[wire.ExecID{Number: i + 1}] = &call{module: "ask", left: append([]string{}, left...), outputs: map[string]tensor.Value{}, done: func(out map[string]tensor.Value, err error) {
			*told = append(*told, fmt.Sprint(i+1, len(out), err))
		}}
	}
	return c
}

// An execution ends once, when all of its modules have run, and gives the last value under each name. Events of others
// do not matter.
func TestFollow(t *testing.T) {
	var told []string
	c := open(&told, "ask", "answer")
	first, other := wire.ExecID{Number: 1}, wire.ExecID{Number: 9}
	x := tensor.Of([]float32{1}, 1)
	for _, e := range []runtime.Event{
		{Kind: runtime.Emitted, Exec: first, Name: "y", Value: x},
		{Kind: runtime.Emitted, Exec: first, Name: "y", Value: x},
		{Kind: runtime.Finished, Exec: other, Module: "ask"},
		{Kind: runtime.Finished, Exec: first, Module: "ask"},
		{Kind: runtime.Finished, Exec: first, Module: "ask"},
	} {
		c.Follow(e)
	}
	if c.Left(first) != "answer" || c.Left(other) != "" || len(told) > 0 || c.Len() != 2 {
		t.Errorf("it waits for %q, %d are open, and is told %q", c.Left(first), c.Len(), told)
	}
	c.Follow(runtime.Event{Kind: runtime.Finished, Exec: first, Module: "answer"})
	c.Follow(runtime.Event{Kind: runtime.Finished, Exec: first, Module: "answer"})
	if got := fmt.Sprint(told); got != "[1 1 <nil>]" || c.Len() != 1 || c.Left(first) != "" {
		t.Errorf("it is told %s, and %d are open", got, c.Len())
	}
}

// A module that fails ends its execution with the error and no outputs; a host that ends fails the others. What is
// forgotten is told nothing.
func TestFail(t *testing.T) {
	var told []string
	c := open(&told, "ask")
	c.Follow(runtime.Event{Kind: runtime.Emitted, Exec: wire.ExecID{Number: 1}, Name: "y"})
	c.Follow(runtime.Event{Kind: runtime.Finished, Exec: wire.ExecID{Number: 1}, Module: "ask", Err: errors.New("broken")})
	c.Fail(errors.New("the peer ends"))
	if got := fmt.Sprint(told); got != "[1 0 execution 1 of ask: broken 2 0 the peer ends]" {
		t.Errorf("it is told %s", got)
	}
	told = nil
	c = open(&told, "ask")
	c.Forget(wire.ExecID{Number: 1})
	c.Follow(runtime.Event{Kind: runtime.Finished, Exec: wire.ExecID{Number: 1}, Module: "ask"})
	if len(told) > 0 || c.Len() != 1 {
		t.Errorf("a forgotten execution is told %q, and %d are open", told, c.Len())
	}
}

// TestCause: the error of a call is the first failure in the module that ended with one, with its block, and not that of
// a module that goes on without it.
func TestCause(t *testing.T) {
	exec, zero := wire.ExecID{Number: 1}, errors.New(`node "div_1" (Div): division by 0`)
	failed := func(module, block string, err error) runtime.Event {
		return runtime.Event{Kind: runtime.Failed, Exec: exec, Module: module, Name: block, Err: &runtime.BlockError{Module: module, Block: block, Exec: exec, Err: err}}
	}
	var c Calls
	var got error
	c.open = map[wire.ExecID]*call{exec: {module: "ask", left: []string{"ask"}, done: func(_ map[string]tensor.Value, err error) { got = err }}}
	for _, e := range []runtime.Event{
		failed("answer", "received", errors.New("no answer")),
		failed("ask", "divide", zero),
		failed("ask", "send", errors.New("it needs a value that failed")),
		{Kind: runtime.Finished, Exec: exec, Module: "ask", Err: errors.New("a block failed")},
	} {
		c.Follow(e)
	}
	if want := `execution 1 of ask: block divide: node "div_1" (Div): division by 0`; got == nil || got.Error() != want || !errors.Is(got, zero) {
		t.Errorf("the error is %v, want %s", got, want)
	}
}
