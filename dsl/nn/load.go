package nn

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// Load sets the parameters of a network to the values with their names in an ONNX file: the result of
// training, or another network with the same layers. Each parameter must be in the file, with its shape.
// Other parts of the file, such as a normalization added by bbgen train, are ignored.
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
