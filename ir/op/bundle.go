package op

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// Bundle makes one value of several, so that they cross an edge together.
var Bundle = &Op{
	Name:    "Bundle",
	Domain:  BundleDomain,
	Since:   []int{1},
	Attrs:   []Attr{phase},
	Inputs:  []Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}},
	Outputs: []Port{{Name: "bundle", Types: aBundle}},
	Infer:   gives(bundled),
	Peer:    &Peer{Kind: KindOrder},
	Stops:   engine,
}

// Unbundle gives the values of a Bundle back, in their order.
var Unbundle = &Op{
	Name:    "Unbundle",
	Domain:  BundleDomain,
	Since:   []int{1},
	Attrs:   []Attr{phase},
	Inputs:  []Port{{Name: "bundle", Types: aBundle}},
	Outputs: []Port{{Name: "values", Variadic: true, Mixed: true, Min: 1}},
	Infer:   gives(unbundled),
	Peer:    &Peer{Kind: KindOrder},
	Stops:   engine,
}

const bundlePrefix = "bundle("

// BundleOf is the type of a Bundle of values.
func BundleOf(types []ir.Type) ir.Type {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = t.String()
	}
	return ir.Type{Kind: ir.Opaque, Name: bundlePrefix + strings.Join(list, ", ") + ")"}
}

// BundleParts are the types of what a Bundle holds.
func BundleParts(t ir.Type) ([]ir.Type, error) {
	inner, ok := strings.CutPrefix(t.Name, bundlePrefix)
	inner, closed := strings.CutSuffix(inner, ")")
	if t.Kind != ir.Opaque || !ok || !closed {
		return nil, fmt.Errorf("%s is no bundle", t)
	}
	return ir.ParseTypes(inner)
}

func bundled(c *Infer, _ int) (ir.Type, error) {
	types := make([]ir.Type, len(c.In))
	for i := range types {
		types[i] = c.Type(i)
	}
	return BundleOf(types), nil
}

func unbundled(c *Infer, i int) (ir.Type, error) {
	parts, err := BundleParts(c.Type(0))
	if err == nil && len(parts) != len(c.Node.Out) {
		err = fmt.Errorf("has %d outputs, and the bundle %d values", len(c.Node.Out), len(parts))
	}
	if err != nil {
		return ir.Type{}, err
	}
	return parts[i], nil
}
