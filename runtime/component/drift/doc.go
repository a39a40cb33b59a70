// Package drift corrects local steps of clients that drift apart because their data differ. A correction is
// applied to the gradients of a step, so that it can be combined with every model, every optimizer of the
// server and every aggregation rule:
//
//	gradients, loss := c.Model.Gradients(g, x, labels)
//	corrected := c.Prox.Call(g, "Correct", dsl.Float32(dsl.Any), gradients, c.Model.Params(g), params)
//	c.Model.ApplyGradients(g, corrected)
//
// If a formula contains the rate of the clients' steps, these must be plain gradient descent, without momentum.
package drift

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// each sets dst to f of each index, for tensors of one shape.
func each(dst *tensor.Dense[float32], f func(i int) float64, all ...tensor.Dense[float32]) error {
	for _, x := range all[1:] {
		if !slices.Equal(x.Shape, all[0].Shape) {
			return fmt.Errorf("tensors of shapes %v and %v, want those of one model", all[0].Shape, x.Shape)
		}
	}
	dst.Resize(all[0].Shape...)
	for i := range dst.Data {
		dst.Data[i] = float32(f(i))
	}
	return nil
}

// checkPositive returns an error unless a number of the configuration is positive.
func checkPositive(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want a number above 0", name, x)
	}
	return nil
}
