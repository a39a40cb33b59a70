// Package drift corrects clients whose local steps drift apart, as their data differ. A
// correction stands between the gradients of a step and what is applied of them, so that
// it goes with each model, each optimizer of the server and each rule of aggregation:
//
//	gradients, loss := c.Model.Gradients(g, x, labels)
//	corrected := c.Prox.Call(g, "Correct", dsl.Float32(dsl.Any), gradients, c.Model.Params(g), params)
//	c.Model.ApplyGradients(g, corrected)
//
// Where a formula has the rate of the clients' steps in it, these must be plain gradient
// descent, without momentum.
package drift

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// each writes f of the elements of several tensors of one shape to dst.
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

// positive says what is wrong with a number of the configuration.
func positive(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is %v, want a number above 0", name, x)
	}
	return nil
}
