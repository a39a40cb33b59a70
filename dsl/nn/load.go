package nn

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Load gives the parameters of a network the values that an ONNX file has under their
// names: those that training has found, or those of another network with the same
// layers. Each must be there, with its shape. What else the file computes, such as a
// normalization that bbgen train has put in front, is no part of the network.
func Load(network any, file string) error {
	m, err := onnx.ReadFile(file)
	if err != nil {
		return err
	}
	values := map[string]*ir.Value{}
	for _, v := range m.Main.Consts() {
		values[v.Name] = v
	}
	for name, p := range Parameters(network) {
		v := values[name]
		if v == nil {
			return fmt.Errorf("%s: there is no initializer %q, which the network has as a parameter", file, name)
		}
		if err := p.check(v.Const); err != nil {
			return fmt.Errorf("%s: initializer %q: %w", file, name, err)
		}
	}
	for name, p := range Parameters(network) {
		p.Data = values[name].Const
	}
	return nil
}
