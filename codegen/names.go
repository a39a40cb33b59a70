package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// names are the identifiers of a plan in generated code.
type names struct {
	p      *plan.Plan
	part   string                  // what the plan is a part of: "step", "eval", a computation; "" is a model
	rate   *plan.Port              // the learning rate, which is no field that a caller sees
	vars   map[*plan.Var]string    // fields of the context
	syms   map[string]string       // sizes: fields of the context
	ins    map[*plan.Port]string   // fields of Inputs
	outs   map[*plan.Port]string   // fields of Outputs
	consts map[*plan.Weight]string // fields of weights
	states map[string]string       // fields of the state, by the names of states
	sizes  []string                // symbols that are fields of Inputs, in order
	field  map[string]string       // their names
	blocks map[*plan.Block]*blockNames
	chains map[*plan.Chain]*chainType

	chainTypes []*chainType
}

// name is an identifier of a package, with the part in it that it belongs to:
// context, stepContext.
func (e *names) name(s string) string {
	if e.part == "" {
		return s
	}
	return e.part + strings.ToUpper(s[:1]) + s[1:]
}

// slotField names the shared buffers of an element type.
func slotField(d tensor.DType) string { return d.String() + "s" }

// symName returns the context's field for a symbol.
func (e *names) symName(s string) string {
	if n, ok := e.syms[s]; ok {
		return n
	}
	panic(fmt.Sprintf("BUG: symbol %s has no field", s))
}

// constructor returns the name of the function that makes a context.
func (e *names) constructor() string {
	if e.part == "" {
		return "newContext"
	}
	return "new" + strings.ToUpper(e.part[:1]) + e.part[1:] + "Context"
}

func (e *names) slotTypes() []tensor.DType {
	var out []tensor.DType
	for d := range e.p.Slots {
		out = append(out, d)
	}
	slices.Sort(out)
	return out
}

// varies reports whether the shape of an output is known only after a run.
func varies(p *plan.Port) bool {
	_, static := p.Value.Type.Static()
	return p.Value.Type.Kind == ir.Tensor && !static
}

// operands returns the operands of a chain, each variable once. A result written over an operand has the
// operand's variable.
func (e *names) operands(c *plan.Chain) []chainOperand {
	var out []chainOperand
	for _, o := range c.Operands {
		x := e.p.Var(o.Value)
		if !slices.ContainsFunc(out, func(p chainOperand) bool { return p.v == x }) {
			out = append(out, chainOperand{o, x})
		}
	}
	return out
}

// chainOperand is a field of a chain's struct.
type chainOperand struct {
	*plan.Operand
	v *plan.Var
}
