package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// svmKernels are the functions that compare an input with a support vector.
var svmKernels = []string{"LINEAR", "POLY", "RBF", "SIGMOID"}

// checkSVM checks the common attributes of both kinds of support vector machine: count vectors of the input's
// width, a row of coefficients over them (or over the features, if there are none) for each of coefRows, and
// rhos constants.
func checkSVM(c *op.Infer, cols ir.Dim, count, coefRows, rhos int) error {
	n, ok := cols.Const()
	if !ok || n <= 0 {
		return fmt.Errorf("input %q has %s features, want a constant number", c.In[op.X].Name, cols)
	}
	if got := len(c.Floats("support_vectors")); got != count*n {
		return fmt.Errorf("support_vectors has %d elements, want %d vectors of %d", got, count, n)
	}
	each := count
	if count == 0 {
		each = n
	}
	if got := len(c.Floats("coefficients")); got != coefRows*each {
		return fmt.Errorf("has %d coefficients, want %d times %d", got, coefRows, each)
	}
	if got := len(c.Floats("rho")); got < rhos {
		return fmt.Errorf("rho has %d elements, want %d", got, rhos)
	}
	if p := c.Floats("kernel_params"); len(p) != 0 && len(p) != 3 {
		return fmt.Errorf("kernel_params has %d elements, want 3", len(p))
	}
	return nil
}

// svm returns the parameters of the kernels.
func svm(l *op.Lowering, count, scores int, more ...op.Field) op.Struct {
	params := append(l.Floats("kernel_params"), 0, 0, 0)
	return op.Struct{Type: "SVM", Fields: append([]op.Field{
		{Name: "Kernel", Value: l.Str("kernel_type")},
		{Name: "Gamma", Value: params[0]},
		{Name: "Coef0", Value: params[1]},
		{Name: "Degree", Value: params[2]},
		{Name: "Vectors", Value: l.Floats32("vectors", l.Floats("support_vectors"))},
		{Name: "Coefficients", Value: l.Floats32("coefficients", l.Floats("coefficients"))},
		{Name: "Rho", Value: l.Floats32("rho", l.Floats("rho"))},
		{Name: "Columns", Value: width(l.In[op.X])},
		{Name: "VectorCount", Value: count},
		{Name: "Scores", Value: scores},
	}, more...)}
}
