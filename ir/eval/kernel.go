package eval

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Kernel is a call with its function and arguments resolved, for callers that repeat it: resolving takes
// longer than a small call.
type Kernel struct {
	call op.Call
	fn   reflect.Value
	args []reflect.Value
}

// Resolve finds the function and the arguments of a call without symbols. Its operands are in vals.
func Resolve(c op.Call, vals map[*ir.Value]tensor.Value) (*Kernel, error) {
	portable()
	return (&env{vals: vals}).resolve(c)
}

func (e *env) resolve(c op.Call) (*Kernel, error) {
	fns, ok := kernels[c.Kernel]
	if !ok {
		return nil, fmt.Errorf("BUG: no kernel %s; run go generate ./ir/eval", c.Kernel)
	}
	for _, fn := range fns {
		k := &Kernel{call: c, fn: reflect.ValueOf(fn)}
		if k.args, ok = e.args(c, k.fn.Type()); ok {
			return k, nil
		}
	}
	return nil, fmt.Errorf("BUG: kernel %s takes no (%s)", c.Kernel, e.describe(c))
}

// Move makes the kernel use operands in other memory, of the same types and sizes.
func (k *Kernel) Move(vals map[*ir.Value]tensor.Value) {
	args, ok := (&env{vals: vals}).args(k.call, k.fn.Type())
	if !ok {
		panic("BUG: kernel " + k.call.Kernel + " was moved to operands of other types")
	}
	k.args = args
}

// Run executes the call.
func (k *Kernel) Run() (err error) {
	defer recovered(&err)
	k.fn.Call(k.args)
	return nil
}

// recovered converts a panic of a kernel about its data to an error. It must be deferred.
func recovered(err *error) {
	r := recover()
	if r == nil {
		return
	}
	failed, _ := r.(error)
	ke, ok := errors.AsType[*cpu.Error](failed)
	if !ok {
		panic(r)
	}
	*err = ke
}
