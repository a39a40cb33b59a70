package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SVMRegressor is the value of a support vector machine, or whether an input
// belongs to its one class.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html
var SVMRegressor = &Op{
	Name:   "SVMRegressor",
	Domain: mlDomain,
	Since:  []int{1},
	In:     One,
	Out:    One,
	Infer:  inferSVMRegressor,
	Lower: func(l *Lowering) error {
		one := Field{"OneClass", l.Int("one_class", 0) != 0}
		l.Call("SVMRegress", l.Out[0], l.In[0], l.svm(l.Int("n_supports", 0), 1, one))
		l.postTransform(l.Out[0], l.Str("post_transform", "NONE"), 1)
		return nil
	},
}

func inferSVMRegressor(c *Infer) error {
	rows, cols, err := c.rows()
	if err != nil {
		return err
	}
	n := c.Int("n_supports", 0)
	if n < 0 || n > 1<<30 {
		return fmt.Errorf("n_supports is %d", n)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(1))
	return c.checkSVM(cols, n, 1, 1)
}
