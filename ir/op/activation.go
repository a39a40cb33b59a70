package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// activations are the functions that kernels can apply to their results, by their names in the attribute of
// fused operators.
var activations = map[string]Const{
	"":            "ActNone",
	"Gelu":        "ActGelu",
	"GeluTanh":    "ActGeluTanh",
	"HardSigmoid": "ActHardSigmoid",
	"HardSwish":   "ActHardSwish",
	"Relu":        "ActRelu",
	"Relu6":       "ActRelu6",
	"Sigmoid":     "ActSigmoid",
	"Silu":        "ActSilu",
	"Tanh":        "ActTanh",
}

// Activation returns the function that a fused node applies to its result.
func Activation(n *ir.Node) (Const, error) {
	name := n.Str("activation")
	act, ok := activations[name]
	if !ok {
		return "", fmt.Errorf("no activation %q", name)
	}
	return act, nil
}

// ActsAs returns an [Op.Act] for an operator that always is the given activation.
func ActsAs(name string) func(n *ir.Node) string {
	return func(*ir.Node) string { return name }
}

// AddAct adds the residual to the output, and applies the activation.
func (l *Lowering) AddAct(residual *ir.Value, act Const) {
	if residual != nil || act != "ActNone" {
		l.Call("AddAct", l.Out[0], residual, act)
	}
}
