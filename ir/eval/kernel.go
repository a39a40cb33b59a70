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

// Kernel is a call whose function and arguments are known, for whoever makes the same
// call often: looking for them takes longer than a small call itself.
type Kernel struct {
	call op.Call
	fn   reflect.Value
	args []reflect.Value
}

// Resolve finds the function of a call without symbols, and its arguments: operands live
// in vals.
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

// Move has the kernel work on operands in other memory, of the same types and sizes.
func (k *Kernel) Move(vals map[*ir.Value]tensor.Value) {
	args, ok := (&env{vals: vals}).args(k.call, k.fn.Type())
	if !ok {
		panic("BUG: kernel " + k.call.Kernel + " was moved to operands of other types")
	}
	k.args = args
}

// Run makes the call.
func (k *Kernel) Run() (err error) {
	defer recovered(&err)
	k.fn.Call(k.args)
	return nil
}

// recovered makes an error of what a kernel panics with when data make its work
// impossible. It must be deferred.
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
