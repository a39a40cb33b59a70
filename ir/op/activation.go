package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// activations are the functions that kernels apply to their results, by the
// names that fused operators give them in their attribute.
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

// Activation is what a fused node applies to its result.
func Activation(n *ir.Node) (Const, error) {
	name := n.Str("activation")
	act, ok := activations[name]
	if !ok {
		return "", fmt.Errorf("no activation %q", name)
	}
	return act, nil
}

// ActsAs returns an activation that every node of an operator is.
func ActsAs(name string) func(n *ir.Node) string {
	return func(*ir.Node) string { return name }
}

// AddAct adds the residual to what a product has left in the output, and
// applies the activation.
func (l *Lowering) AddAct(residual *ir.Value, act Const) {
	if residual != nil || act != "ActNone" {
		l.Call("AddAct", l.Out[0], residual, act)
	}
}
