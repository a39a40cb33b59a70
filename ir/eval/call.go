package eval

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// call executes one kernel call and binds the symbols of its results.
func (e *env) call(c op.Call) (err error) {
	defer recovered(&err)
	k, err := e.resolve(c)
	if err != nil {
		return err
	}
	e.takeText(c.Kernel, k.args)
	for i, r := range k.fn.Call(k.args) {
		e.syms[c.Binds[i]] = int(r.Int())
	}
	return nil
}

// Call executes one call. Its operands are in vals, and its sizes depend on syms. It adds the symbols of its
// results to syms.
func Call(c op.Call, vals map[*ir.Value]tensor.Value, syms map[string]int) error {
	portable()
	return (&env{vals: vals, syms: syms}).call(c)
}
