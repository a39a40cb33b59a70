package text

import (
	"fmt"
	"regexp"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// RegexFullMatch is whether all of a string matches a pattern of RE2, which is
// the syntax of Go's regexp, too.
//
// https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html
var RegexFullMatch = &op.Op{
	Name:    "RegexFullMatch",
	Since:   []int{20},
	Attrs:   []op.Attr{{Name: "pattern", Kind: op.String}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Strings}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Bools}},
	Infer:   inferRegexFullMatch,
	Lower: func(l *op.Lowering) error {
		l.Call("RegexFullMatch", l.Out[0], l.In[op.X], l.Str("pattern"))
		return nil
	},
	Stops: op.StopStrings,
}

func inferRegexFullMatch(c *op.Infer) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if !c.Has("pattern") {
		return fmt.Errorf("has no pattern")
	}
	if _, err := regexp.Compile(c.Str("pattern")); err != nil {
		return err
	}
	c.OutTensor(0, tensor.Bool, x.Shape...)
	return nil
}
