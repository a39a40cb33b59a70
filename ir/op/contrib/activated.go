package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// activated returns an activation of x by its ONNX name and its parameters.
func activated(b *ir.Builder, x *ir.Value, name string, params []float64) (*ir.Value, error) {
	param := func(i int, def float64) float64 {
		if i < len(params) {
			return params[i]
		}
		return def
	}
	if b.Err() != nil {
		return x, nil // it has no type
	}
	switch name {
	case "":
		return x, nil
	case "Relu", "Tanh", "Sigmoid", "HardSwish":
		return b.Op(name, x), nil
	case "LeakyRelu":
		return b.OpA(name, op.Attrs("alpha", param(0, 0.01)), x), nil
	case "HardSigmoid":
		return b.OpA(name, op.Attrs("alpha", param(0, 0.2), "beta", param(1, 0.5)), x), nil
	case "Clip":
		return b.Op(name, x, op.ScalarLike(b, x, param(0, 0)), op.ScalarLike(b, x, param(1, 0))), nil
	}
	return nil, fmt.Errorf("activation is %q, want Relu, Tanh, Sigmoid, HardSwish, LeakyRelu, HardSigmoid or Clip", name)
}
