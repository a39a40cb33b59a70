package text

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// StringNormalizer drops stop words and brings the others to one case. The
// locale is not looked at: case follows Unicode.
//
// https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
var StringNormalizer = &op.Op{
	Name:  "StringNormalizer",
	Since: []int{10},
	Attrs: []op.Attr{
		{Name: "case_change_action", Kind: op.String, Default: "NONE", Values: []string{"NONE", "LOWER", "UPPER"}},
		{Name: "is_case_sensitive", Kind: op.Int, Default: 0},
		{Name: "locale", Kind: op.String},
		{Name: "stopwords", Kind: op.Strings},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Strings}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Strings}},
	Infer:   inferStringNormalizer,
	Lower:   lowerStringNormalizer,
	Stops:   op.StopStrings,
}

func inferStringNormalizer(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if rank := len(x.Shape); rank != 1 && rank != 2 {
		return fmt.Errorf("input %q has rank %d, want 1 or 2", c.In[op.X].Name, rank)
	}
	if n, ok := x.Shape[0].Const(); len(x.Shape) == 2 && ok && n != 1 {
		return fmt.Errorf("input %q has %d rows, want 1", c.In[op.X].Name, n)
	}
	shape := slices.Clone(x.Shape)
	shape[len(shape)-1] = c.Fresh("words")
	c.OutTensor(0, tensor.String, shape...)
	return nil
}

func lowerStringNormalizer(l *op.Lowering) error {
	stop := l.Strings("stopwords", l.Strs("stopwords"))
	fold := l.Int("is_case_sensitive") == 0
	l.Count(0, "StringNormalizeCount", l.In[op.X], stop, fold)
	l.Call("StringNormalize", l.Out[0], l.In[op.X], stop, fold, l.Str("case_change_action"))
	return nil
}
