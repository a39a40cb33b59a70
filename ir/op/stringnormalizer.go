package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// StringNormalizer drops stop words and brings the others to one case. The
// locale is not looked at: case follows Unicode.
//
// https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
var StringNormalizer = &Op{
	Name:  "StringNormalizer",
	Since: []int{10},
	Attrs: []Attr{
		{Name: "case_change_action", Kind: String, Default: "NONE", Values: []string{"NONE", "LOWER", "UPPER"}},
		{Name: "is_case_sensitive", Kind: Int, Default: 0},
		{Name: "locale", Kind: String},
		{Name: "stopwords", Kind: Strings},
	},
	Inputs:  []Port{{Name: "X", Types: strs}},
	Outputs: []Port{{Name: "Y", Types: strs}},
	Infer:   inferStringNormalizer,
	Lower:   lowerStringNormalizer,
	Stops:   onStrings,
}

func inferStringNormalizer(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if rank := len(x.Shape); rank != 1 && rank != 2 {
		return fmt.Errorf("input %q has rank %d, want 1 or 2", c.In[0].Name, rank)
	}
	if n, ok := x.Shape[0].Const(); len(x.Shape) == 2 && ok && n != 1 {
		return fmt.Errorf("input %q has %d rows, want 1", c.In[0].Name, n)
	}
	shape := slices.Clone(x.Shape)
	shape[len(shape)-1] = c.Fresh("words")
	c.OutTensor(0, tensor.String, shape...)
	return nil
}

func lowerStringNormalizer(l *Lowering) error {
	stop := l.strings("stopwords", l.Strs("stopwords"))
	fold := l.Int("is_case_sensitive") == 0
	l.Count(0, "StringNormalizeCount", l.In[0], stop, fold)
	l.Call("StringNormalize", l.Out[0], l.In[0], stop, fold, l.Str("case_change_action"))
	return nil
}
