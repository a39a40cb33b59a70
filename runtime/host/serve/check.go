package serve

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// check says what is wrong with the inputs of a run.
func check(ports []runtime.Port, inputs []*tensor.Tensor) error {
	values := make([]tensor.Value, len(inputs))
	for i, t := range inputs {
		if p := ports[i]; p.Elem == tensor.Undefined {
			return fmt.Errorf("input %q is %s: this server takes tensors only", p.Name, p.Type)
		}
		values[i] = t
	}
	return runtime.CheckInputs(ports, values)
}
