package text

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// StringSplit splits each string at a delimiter, or at white space. It returns the parts along a new last
// axis, padded with empty strings, and their number.
//
// https://onnx.ai/onnx/operators/onnx__StringSplit.html
var StringSplit = &op.Op{
	Name:  "StringSplit",
	Since: []int{20},
	Attrs: []op.Attr{
		{Name: "delimiter", Kind: op.String, Default: ""},
		{Name: "maxsplit", Kind: op.Int, Default: -1},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Strings}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Strings}, {Name: "Z", Types: elem.Int64s, Optional: true}},
	Infer:   inferStringSplit,
	Lower:   lowerStringSplit,
	Stops:   op.StopStrings,
}

func inferStringSplit(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	parts := c.Fresh("parts")
	c.OutTensor(0, tensor.String, append(slices.Clone(x.Shape), parts)...)
	c.OutTensor(1, tensor.Int64, x.Shape...)
	return nil
}

func lowerStringSplit(l *op.Lowering) error {
	delimiter, limit := l.Str("delimiter"), l.Int("maxsplit")
	l.Count(0, "StringSplitMax", l.In[op.X], delimiter, limit)
	l.Call("StringSplit", l.Res(0), l.Res(1), l.In[op.X], delimiter, limit, ir.Sym(l.Syms[0]))
	return nil
}
