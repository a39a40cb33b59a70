package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ZipMap converts each row of scores to a map from the labels of classes to their scores.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html
var ZipMap = &op.Op{
	Name:   "ZipMap",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "classlabels_int64s", Kind: op.Ints},
		{Name: "classlabels_strings", Kind: op.Strings},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Z", Types: op.ASequence}},
	Infer:   inferZipMap,
	Lower: func(l *op.Lowering) error {
		l.Call("ZipMap", l.Out[0], l.In[op.X], l.ConstTensor("keys", classLabels(l.Node)))
		return nil
	},
	Stops: op.StopLists,
}

func inferZipMap(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 {
		return fmt.Errorf("input %q is %s, want float32", c.In[op.X].Name, x.Elem)
	}
	if len(x.Shape) != 1 && len(x.Shape) != 2 {
		return fmt.Errorf("input %q has rank %d, want 1 or 2", c.In[op.X].Name, len(x.Shape))
	}
	keys := classLabels(c.Node)
	if keys == nil {
		return fmt.Errorf("has no class labels")
	}
	if cols, ok := width(c.In[op.X]).Const(); ok && cols != keys.Len() {
		return fmt.Errorf("input %q has %d columns, want one for each of %d class labels", c.In[op.X].Name, cols, keys.Len())
	}
	c.Out(0, ir.SequenceOf(ir.MapOf(keys.DType, ir.TensorOf(x.Elem))))
	return nil
}
