package bind

import (
	"go/types"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// in is the type in a slot. That of a model is generic in the elements of its
// inputs and its targets, which follow from the calls.
func (c *checker) in(s *partitioner.Slot) (*types.Named, error) {
	t, err := c.component(s.Binding)
	if err != nil || s.Binding.Model == "" {
		return t, err
	}
	var args []types.Type
	for _, d := range c.elems(s) {
		args = append(args, types.Universe.Lookup(d.GoType()).Type())
	}
	x, err := types.Instantiate(nil, t, args, false)
	if err != nil {
		return nil, err
	}
	return x.(*types.Named), nil
}

// elems are the elements of what a model in a slot is given: inputs and targets.
// They are nil for other components.
func (c *checker) elems(s *partitioner.Slot) []tensor.DType {
	if s.Binding.Model == "" {
		return nil
	}
	out := []tensor.DType{tensor.Float32, tensor.Int64}
	c.calls(func(n *ir.Node) {
		if n.Str(op.SlotAttr, "") != s.Name {
			return
		}
		switch op.Lookup(n) {
		case op.ModelForward:
			out[0] = n.In[0].Type.Elem
		case op.ModelTrainStep, op.ModelComputeLoss:
			out[0], out[1] = n.In[0].Type.Elem, n.In[1].Type.Elem
		case op.ModelTrainSteps:
			if data := c.slot(n.Str("data", "")); data != nil {
				c.batchElems(data, out)
			}
		}
	})
	return out
}

// batchElems takes the elements of a data source's batches.
func (c *checker) batchElems(data *partitioner.Slot, out []tensor.DType) {
	t, err := c.component(data.Binding)
	if err != nil {
		return // reported elsewhere
	}
	next := lookup(t, "NextBatch")
	if next == nil || next.Signature().Results().Len() != 3 {
		return // reported elsewhere
	}
	for i := range out {
		dense, ok := next.Signature().Results().At(i).Type().(*types.Named)
		if !ok || dense.TypeArgs().Len() != 1 {
			continue
		}
		if d, ok := tensor.ParseDType(types.TypeString(dense.TypeArgs().At(0), nil)); ok {
			out[i] = d
		}
	}
}
