package sequence

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// sequence returns the type of the items of input i, which must be a sequence.
func sequence(c *op.Infer, i int) (ir.Type, error) {
	v := c.Arg(i)
	if v == nil {
		return ir.Type{}, fmt.Errorf("input %d is missing", i)
	}
	if v.Type.Kind != ir.Sequence || v.Type.Of == nil {
		return ir.Type{}, fmt.Errorf("input %q is %s, want a sequence", v.Name, v.Type)
	}
	return *v.Type.Of, nil
}

// items returns the type of the items of input i, which must be a sequence of
// tensors of known rank.
func items(c *op.Infer, i int) (ir.Type, error) {
	t, err := sequence(c, i)
	if err == nil && (t.Kind != ir.Tensor || !t.Known()) {
		err = fmt.Errorf("input %q is %s, want a sequence of tensors of one known rank", c.In[i].Name, c.In[i].Type)
	}
	return t, err
}

// freshItem returns the type of an extracted item: each axis that varies gets a symbol, in order.
func freshItem(c *op.Infer, t ir.Type) ir.Type {
	shape := make([]ir.Dim, len(t.Shape))
	for i, d := range t.Shape {
		if _, ok := d.Const(); !ok {
			d = c.Fresh("dim")
		}
		shape[i] = d
	}
	return ir.TensorOf(t.Elem, shape...)
}

// countAxes counts the symbols of v's shape that are the node's own. The function args returns the kernel's
// arguments for an axis.
func countAxes(l *op.Lowering, v *ir.Value, kernel string, args func(axis int) []any) {
	k := 0
	for axis, d := range op.Shape(v) {
		if s, ok := d.Symbol(); ok && k < len(l.Syms) && s == l.Syms[k] {
			l.Count(k, kernel, args(axis)...)
			k++
		}
	}
}

// checkPosition returns an error if input i is neither an index into a sequence nor omitted.
func checkPosition(c *op.Infer, i int) error {
	v := c.Arg(i)
	if v == nil {
		return nil
	}
	if err := c.CheckElems(i, elem.Indices); err != nil {
		return err
	}
	if n, ok := ir.Size(v.Type.Shape).Const(); v.Type.Kind != ir.Tensor || ok && n != 1 {
		return fmt.Errorf("position %q is %s, want a scalar", v.Name, v.Type)
	}
	return nil
}

// maxItems limits the lists that [listed] returns.
const maxItems = 1024

// listed returns the items of a sequence if they are all known: it was made from given tensors by insertions
// and removals at known positions.
func listed(v *ir.Value) (items []*ir.Value, ok bool) {
	v = op.Source(v)
	if v == nil || v.Def == nil || v.Def.Domain != "" {
		return nil, false
	}
	n := v.Def
	switch n.Op {
	case "SequenceEmpty":
		return []*ir.Value{}, true
	case "SequenceConstruct":
		return n.In, len(n.In) <= maxItems
	case "SequenceInsert", "SequenceErase":
		items, ok := listed(n.Arg(op.X))
		if !ok || len(items) >= maxItems {
			return nil, false
		}
		return edited(n, items)
	}
	return nil, false
}

// edited returns items after a SequenceInsert or SequenceErase.
func edited(n *ir.Node, items []*ir.Value) ([]*ir.Value, bool) {
	if n.Op == "SequenceInsert" {
		p, ok := listedAt(n.Arg(insertPosition), len(items)+1, len(items))
		if !ok || n.Arg(insertTensor) == nil {
			return nil, false
		}
		return append(append(append([]*ir.Value{}, items[:p]...), n.In[insertTensor]), items[p:]...), true
	}
	p, ok := listedAt(n.Arg(atPosition), len(items), len(items))
	if !ok {
		return nil, false
	}
	return append(append([]*ir.Value{}, items[:p]...), items[p+1:]...), true
}

// listedAt returns the position below limit that pos specifies in a list of n items, or the last one if pos
// is omitted.
func listedAt(pos *ir.Value, limit, n int) (int, bool) {
	p := limit - 1
	if pos != nil {
		d, ok := op.KnownInteger(pos)
		if !ok {
			return 0, false
		}
		if p, ok = d.Const(); !ok {
			return 0, false
		}
		if p < 0 {
			p += n
		}
	}
	return p, p >= 0 && p < limit
}
