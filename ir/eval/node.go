package eval

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// region runs the nodes and returns the results.
func (e *env) region(r *ir.Region) ([]tensor.Value, error) {
	for _, n := range r.Nodes {
		if err := e.stopped(); err != nil {
			return nil, err
		}
		if err := e.node(n); err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
	}
	return e.all(r.Results), nil
}

// node runs one node.
func (e *env) node(n *ir.Node) error {
	e.at = n
	o := op.Lookup(n)
	if o == nil {
		return fmt.Errorf("no such operator")
	}
	for _, v := range n.Out {
		delete(e.vals, v) // a loop's body runs again
	}
	switch {
	case o.Flow != op.NoFlow:
		if err := e.flow(o, n); err != nil {
			return err
		}
	case o.Lower == nil && !o.Alias:
		return fmt.Errorf("cannot be lowered")
	default:
		if err := e.lowered(o, n); err != nil {
			return err
		}
	}
	for _, v := range n.Out {
		if v == nil {
			continue
		}
		if e.seen != nil && o.Flow == op.NoFlow && !o.Alias {
			e.seen(v, e.value(v))
		}
		e.bindElems(v)
	}
	return nil
}

func (e *env) lowered(o *op.Op, n *ir.Node) error {
	l, err := o.Lowered(n, nil)
	if err != nil {
		return err
	}
	for i, k := range o.Updates {
		if y, x := n.Res(i), n.Arg(k); y != nil && x != nil {
			e.vals[y] = e.clone(e.value(x).(*tensor.Tensor))
		}
	}
	for _, c := range l.Calls {
		if err := e.call(c); err != nil {
			return err
		}
	}
	if o.Alias {
		e.vals[n.Out[0]] = e.alias(n.In[0], n.Out[0])
	}
	return nil
}

// alias returns x under the type of y.
func (e *env) alias(x, y *ir.Value) tensor.Value {
	t, ok := e.value(x).(*tensor.Tensor)
	if !ok {
		return e.value(x)
	}
	return &tensor.Tensor{DType: t.DType, Shape: e.dims(y.Type.Shape), Data: t.Data}
}
