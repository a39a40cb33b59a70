package serve

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// check returns an error if the inputs of a run are wrong.
func check(ports []model.Port, inputs []tensor.Value) error {
	for _, p := range ports {
		if p.Elem == tensor.Undefined {
			return fmt.Errorf("input %q is %s: this server takes tensors and maps only", p.Name, p.Type)
		}
	}
	return model.CheckInputs(ports, inputs)
}
