package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// StringSplit cuts each string at a delimiter, or at white space: the parts
// along a new last axis, filled up with empty strings, and how many there are.
//
// https://onnx.ai/onnx/operators/onnx__StringSplit.html
var StringSplit = &Op{
	Name:  "StringSplit",
	Since: []int{20},
	Attrs: []Attr{
		{Name: "delimiter", Kind: String, Default: ""},
		{Name: "maxsplit", Kind: Int, Default: -1},
	},
	Inputs:  []Port{{Name: "X", Types: strs}},
	Outputs: []Port{{Name: "Y", Types: strs}, {Name: "Z", Types: int64s, Optional: true}},
	Infer:   inferStringSplit,
	Lower:   lowerStringSplit,
	Stops:   onStrings,
}

func inferStringSplit(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	parts := c.Fresh("parts")
	c.OutTensor(0, tensor.String, append(slices.Clone(x.Shape), parts)...)
	c.OutTensor(1, tensor.Int64, x.Shape...)
	return nil
}

func lowerStringSplit(l *Lowering) error {
	delimiter, limit := l.Str("delimiter"), l.Int("maxsplit")
	l.Count(0, "StringSplitMax", l.In[0], delimiter, limit)
	l.Call("StringSplit", l.Res(0), l.Res(1), l.In[0], delimiter, limit, ir.Sym(l.Syms[0]))
	return nil
}
