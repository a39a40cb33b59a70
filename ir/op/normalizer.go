package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Normalizer divides each row by its norm.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
var Normalizer = &Op{
	Name:   "Normalizer",
	Domain: mlDomain,
	Since:  []int{1},
	In:     One,
	Out:    One,
	Infer:  inferNormalizer,
	Lower: func(l *Lowering) error {
		l.Call("NormalizeRows", l.Out[0], l.In[0], l.Str("norm", "MAX"), width(l.In[0]))
		return nil
	},
}

func inferNormalizer(c *Infer) error {
	if _, _, err := c.rows(); err != nil {
		return err
	}
	if norm := c.Str("norm", "MAX"); !slices.Contains([]string{"MAX", "L1", "L2"}, norm) {
		return fmt.Errorf("norm is %q, want MAX, L1 or L2", norm)
	}
	c.OutTensor(0, tensor.Float32, Shape(c.In[0])...)
	return nil
}
