package op

import (
	"fmt"
	"regexp"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// RegexFullMatch is whether all of a string matches a pattern of RE2, which is
// the syntax of Go's regexp, too.
//
// https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html
var RegexFullMatch = &Op{
	Name:    "RegexFullMatch",
	Since:   []int{20},
	Attrs:   []Attr{{Name: "pattern", Kind: String}},
	Inputs:  []Port{{Name: "X", Types: strs}},
	Outputs: []Port{{Name: "Y", Types: bools}},
	Infer:   inferRegexFullMatch,
	Lower: func(l *Lowering) error {
		l.Call("RegexFullMatch", l.Out[0], l.In[0], l.Str("pattern"))
		return nil
	},
	Stops: onStrings,
}

func inferRegexFullMatch(c *Infer) error {
	x, err := c.Tensor(0)
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
