package follow

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Calls tracks executions that a host has begun with [runtime.Node.Invoke] and that have not ended: an
// execution ends when the invoked module, and each module that its messages open on this peer, has run. The
// zero value has none.
type Calls struct{ open map[wire.ExecID]*call }

// call is one execution.
type call struct {
	module  string
	left    []string // modules that have not finished
	outputs map[string]tensor.Value
	failed  map[string]error // of each module, the first failure of a block
	done    func(outputs map[string]tensor.Value, err error)
}

// Begin invokes a module of a node. Done, if not nil, is called once: with the outputs of this peer's modules
// in the execution, the last under each name, or with the first error.
func (c *Calls) Begin(n *runtime.Node, now int64, done func(map[string]tensor.Value, error), module string, inputs ...tensor.Value) (wire.ExecID, error) {
	exec, err := n.Invoke(now, module, inputs...)
	if err != nil {
		return exec, err
	}
	if c.open == nil {
		c.open = map[wire.ExecID]*call{}
	}
	c.open[exec] = &call{module: module, left: n.Answers(module), outputs: map[string]tensor.Value{}, done: done}
	return exec, nil
}

// Follow handles an event of the node.
func (c *Calls) Follow(e runtime.Event) {
	k := c.open[e.Exec]
	switch {
	case k == nil:
	case e.Kind == runtime.Emitted:
		k.outputs[e.Name] = e.Value
	case e.Kind == runtime.Failed:
		k.fail(e)
	case e.Kind == runtime.Finished && e.Err != nil:
		err := e.Err
		if cause := k.failed[e.Module]; cause != nil {
			err = cause
		}
		c.end(e.Exec, nil, fmt.Errorf("execution %d of %s: %w", e.Exec.Number, e.Module, err))
	case e.Kind == runtime.Finished:
		k.left = slices.DeleteFunc(k.left, func(name string) bool { return name == e.Module })
		if len(k.left) == 0 {
			c.end(e.Exec, k.outputs, nil)
		}
	}
}

// fail keeps the failure of a block: it comes before the end of the execution, which does not tell the cause.
func (k *call) fail(e runtime.Event) {
	if k.failed[e.Module] != nil {
		return // later ones are consequences
	}
	err := e.Err
	if b, ok := errors.AsType[*runtime.BlockError](err); ok {
		err = b.Err // its place is in the call's error
	}
	if k.failed == nil {
		k.failed = map[string]error{}
	}
	k.failed[e.Module] = fmt.Errorf("block %s: %w", e.Name, err)
}

func (c *Calls) end(exec wire.ExecID, outputs map[string]tensor.Value, err error) {
	k := c.open[exec]
	delete(c.open, exec)
	if k.done != nil {
		k.done(outputs, err)
	}
}

// Fail ends all open executions with an error.
func (c *Calls) Fail(err error) {
	for exec := range c.open {
		c.end(exec, nil, err)
	}
}

// Forget drops an execution without calling done.
func (c *Calls) Forget(exec wire.ExecID) { delete(c.open, exec) }

// Len returns how many executions are open.
func (c *Calls) Len() int { return len(c.open) }

// Left describes what an execution waits for; "" if it is not open.
func (c *Calls) Left(exec wire.ExecID) string {
	if k := c.open[exec]; k != nil {
		return strings.Join(k.left, ", ")
	}
	return ""
}
