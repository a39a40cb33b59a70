package bind

import (
	"errors"
	"fmt"
	"go/types"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// ownTypes returns the author's Go types that occur in a module, each once.
func ownTypes(m *ir.Module) (list []peer.OwnType) {
	add := func(v *ir.Value) {
		if v == nil {
			return
		}
		if own, ok := peer.OwnOf(v.Type); ok && !slices.Contains(list, own) {
			list = append(list, own)
		}
	}
	for _, f := range m.AllFuncs() {
		for _, v := range f.Body.Params {
			add(v)
		}
		f.Body.Walk(func(n *ir.Node) {
			for _, v := range n.Out {
				add(v)
			}
		})
	}
	return list
}

// checkOwn checks that peers can link the author's Go types, and encode and decode their values.
func (t *Types) checkOwn(m *ir.Module) error {
	var errs []error
	for _, own := range ownTypes(m) {
		if err := t.canOwn(own); err != nil {
			errs = append(errs, fmt.Errorf("values of %s.%s cross the program: %w", own.Package, own.Name, err))
		}
	}
	return errors.Join(errs...)
}

func (t *Types) canOwn(own peer.OwnType) error {
	x, err := t.named(own.Package, own.Name)
	if err != nil {
		return err
	}
	if t.heavy[own.Package] != nil {
		return fmt.Errorf("package %s imports bbgen/dsl%s, and peers would carry the compiler: move the type to a package that does not", own.Package, byWay(t.heavy[own.Package]))
	}
	const appends, marshals, reads = "AppendBinary([]byte) ([]byte, error)", "MarshalBinary() ([]byte, error)", "UnmarshalBinary([]byte) error"
	has := func(name, want string) bool {
		m := lookup(x, name)
		return m != nil && text(name, list(m.Signature().Params()), list(m.Signature().Results())) == want
	}
	if !has("AppendBinary", appends) && !has("MarshalBinary", marshals) {
		return fmt.Errorf("it has neither a method\n\t%s\nnor\n\t%s", appends, marshals)
	}
	if !has("UnmarshalBinary", reads) {
		return fmt.Errorf("it has no method\n\t%s", reads)
	}
	return nil
}

// own returns the author's Go type for a type in the graph.
func (c *checker) own(t ir.Type) (types.Type, error) {
	own, _ := peer.OwnOf(t)
	return c.named(own.Package, own.Name)
}
