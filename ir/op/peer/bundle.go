package peer

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Bundle combines several values into one, so that they cross an edge together.
var Bundle = &op.Op{
	Name:    "Bundle",
	Domain:  BundleDomain,
	Since:   []int{1},
	Attrs:   []op.Attr{phase},
	Inputs:  []op.Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}},
	Outputs: []op.Port{{Name: "bundle", Types: aBundle}},
	Infer:   gives(bundled),
	Peer:    &op.Peer{Kind: op.KindOrder, Packs: true},
	Stops:   op.StopEngine,
}

// Unbundle returns the values of a Bundle, in order.
var Unbundle = &op.Op{
	Name:    "Unbundle",
	Domain:  BundleDomain,
	Since:   []int{1},
	Attrs:   []op.Attr{phase},
	Inputs:  []op.Port{{Name: "bundle", Types: aBundle}},
	Outputs: []op.Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}},
	Infer:   gives(unbundled),
	Peer:    &op.Peer{Kind: op.KindOrder, Unpacks: true},
	Stops:   op.StopEngine,
}

const bundlePrefix = "bundle("

// BundleOf returns the type of a Bundle of values.
func BundleOf(types []ir.Type) ir.Type {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = t.String()
	}
	return ir.Type{Kind: ir.Opaque, Name: bundlePrefix + strings.Join(list, ", ") + ")"}
}

// BundleParts returns the types of the values in a Bundle.
func BundleParts(t ir.Type) ([]ir.Type, error) {
	inner, ok := strings.CutPrefix(t.Name, bundlePrefix)
	inner, closed := strings.CutSuffix(inner, ")")
	if t.Kind != ir.Opaque || !ok || !closed {
		return nil, fmt.Errorf("%s is no bundle", t)
	}
	return ir.ParseTypes(inner)
}

func bundled(c *op.Infer, _ int) (ir.Type, error) {
	types := make([]ir.Type, len(c.In))
	for i, v := range c.In {
		if v == nil {
			return ir.Type{}, fmt.Errorf("value %d is left out", i)
		}
		types[i] = v.Type
	}
	return BundleOf(types), nil
}

func unbundled(c *op.Infer, i int) (ir.Type, error) {
	parts, err := BundleParts(c.Type(op.X))
	if err == nil && len(parts) != len(c.Node.Out) {
		err = fmt.Errorf("has %d outputs, and the bundle %d values", len(c.Node.Out), len(parts))
	}
	if err != nil {
		return ir.Type{}, err
	}
	return parts[i], nil
}
