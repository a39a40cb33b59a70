package ml

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Imputer replaces elements that mark a missing value.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Imputer.html
var Imputer = &op.Op{
	Name:   "Imputer",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "imputed_value_floats", Kind: op.Floats},
		{Name: "imputed_value_int64s", Kind: op.Ints},
		{Name: "replaced_value_float", Kind: op.Float, Default: 0.0},
		{Name: "replaced_value_int64", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferImputer,
	Lower: func(l *op.Lowering) error {
		elem := l.In[op.X].Type.Elem
		values, old := imputed(l.Node)
		l.Call("Impute", l.Out[0], l.In[op.X], numbersOf(l, "values", elem, values), numbersOf(l, "old", elem, []float64{old}), width(l.In[op.X]))
		return nil
	},
	InPlace: true,

	Expand:  expandImputer,
	Expands: op.Never,
}

// imputed returns the replacement values, and the value that they replace.
func imputed(n *ir.Node) (values []float64, old float64) {
	if n.In[op.X].Type.Elem.IsFloat() {
		return n.Floats("imputed_value_floats"), n.Float("replaced_value_float")
	}
	for _, v := range n.Ints("imputed_value_int64s") {
		values = append(values, float64(v))
	}
	return values, float64(n.Int("replaced_value_int64"))
}

func inferImputer(c *op.Infer) error {
	if _, _, err := matrixSize(c); err != nil {
		return err
	}
	values, _ := imputed(c.Node)
	if len(values) == 0 {
		return fmt.Errorf("has no imputed values for elements of type %s", c.In[op.X].Type.Elem)
	}
	c.Out(0, c.In[op.X].Type)
	return perFeature(c, "imputed values", len(values))
}

// expandImputer returns the replacement values where x equals the replaced value, and x elsewhere.
func expandImputer(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := n.In[op.X]
	values, old := imputed(n)
	missing := b.Op("Equal", x, op.ScalarLike(b, x, old))
	if math.IsNaN(old) {
		missing = b.Op("IsNaN", x)
	}
	return []*ir.Value{b.Op("Where", missing, op.CastTo(b, floats32(b, values), x.Type.Elem), x)}, nil
}
