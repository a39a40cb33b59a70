// Package bind compares the calls of a program with the author's Go types. It uses go/types, and returns
// plain data: to package partitioner which calls are commands, and to package codegen/peerplan how to write
// them.
package bind

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// The packages with types in the signatures of components.
const (
	pkgContext = "context"
	pkgRuntime = "github.com/bbgen/bbgen/runtime"
	pkgModel   = "github.com/bbgen/bbgen/runtime/model"
	pkgValues  = "github.com/bbgen/bbgen/runtime/values"
	pkgTensor  = "github.com/bbgen/bbgen/runtime/tensor"
	pkgWire    = "github.com/bbgen/bbgen/runtime/wire"
	pkgDSL     = "github.com/bbgen/bbgen/dsl"
	pkgTrained = "github.com/bbgen/bbgen/runtime/component/trained"
)

// Types are the Go types that a program's slots are bound to.
type Types struct {
	pkgs  map[string]*types.Package
	heavy map[string][]string // packages that link the compiler, with the path of imports
}

// Load loads the packages of the types that m binds to slots. Import paths are resolved from dir.
func Load(m *ir.Module, dir string) (*Types, error) {
	paths := []string{pkgContext, pkgRuntime, pkgModel, pkgTensor, pkgValues, pkgWire}
	bound := false
	for _, kv := range m.Meta {
		if !artifact.IsBinding(kv.Key) {
			continue
		}
		bound = true
		b, err := artifact.Parse(kv.Key, kv.Value)
		if err != nil {
			return nil, err
		}
		path := b.Package
		if b.Model != "" {
			path = pkgTrained
		}
		if path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, own := range ownTypes(m) {
		if !slices.Contains(paths, own.Package) {
			paths = append(paths, own.Package)
		}
		bound = true
	}
	if !bound { // the stages of a plain model; there may be no Go module
		return &Types{}, nil
	}
	t, err := load(dir, paths)
	if err != nil {
		return nil, err
	}
	return t, t.checkOwn(m)
}

func load(dir string, paths []string) (*Types, error) {
	// Export files save the compilation of all dependencies from their sources.
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile
	list, err := packages.Load(&packages.Config{Dir: dir, Mode: mode}, paths...)
	if err != nil {
		return nil, err
	}
	t := &Types{pkgs: map[string]*types.Package{}, heavy: heavy(list)}
	var errs []error
	for _, p := range list {
		for _, e := range p.Errors {
			errs = append(errs, fmt.Errorf("the types that slots are bound to: %s", e.Msg))
		}
		t.add(p.Types)
	}
	return t, errors.Join(errs...)
}

// add adds a package and its imports.
func (t *Types) add(p *types.Package) {
	if p == nil || t.pkgs[p.Path()] != nil && t.pkgs[p.Path()].Complete() {
		return
	}
	t.pkgs[p.Path()] = p
	for _, im := range p.Imports() {
		t.add(im)
	}
}

// PackageNames returns the names of all packages by import path.
func (t *Types) PackageNames() map[string]string {
	names := map[string]string{}
	if t != nil {
		for path, p := range t.pkgs {
			names[path] = p.Name()
		}
	}
	return names
}

// named returns a type of a package.
func (t *Types) named(pkg, name string) (*types.Named, error) {
	p := t.pkgs[pkg]
	if p == nil {
		return nil, fmt.Errorf("there is no package %s", pkg)
	}
	o := p.Scope().Lookup(name)
	if o == nil {
		return nil, fmt.Errorf("there is no type %s.%s", pkg, name)
	}
	n, ok := types.Unalias(o.Type()).(*types.Named)
	if !ok {
		return nil, fmt.Errorf("%s.%s is no type with methods", pkg, name)
	}
	return n, nil
}

// component returns the type that is bound to a slot.
func (t *Types) component(b *artifact.Binding) (*types.Named, error) {
	if b == nil {
		return nil, errors.New("nothing is bound to it")
	}
	return t.named(b.Package, b.Type)
}

// Command reports whether a call runs as a command: the first parameter of its method is a context.
func (t *Types) Command(s *partitioner.Slot, n *ir.Node) bool {
	if s.Binding != nil && s.Binding.Model != "" {
		return op.Lookup(n).Peer.Slow
	}
	c, err := t.component(s.Binding)
	if err != nil {
		return false // Components reports the error
	}
	names := []string{method(n)}
	if op.ModelUseOf(n).Has(op.EachBatch) {
		names = []string{"TrainStep"}
	}
	for _, name := range names {
		if m := lookup(c, name); m != nil && t.first(m.Signature()) == contextFirst {
			return true
		}
	}
	return false
}

// method returns the name of the method that a node calls.
func method(n *ir.Node) string {
	if m := op.Lookup(n).Peer.Method; m != "" {
		return m
	}
	return n.Str("method")
}

// lookup returns a method of a type or of its address, or nil.
func lookup(t *types.Named, name string) *types.Func {
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, t.Obj().Pkg(), name)
	m, _ := o.(*types.Func)
	return m
}

// Components checks all calls of a partition against the types in its slots, and returns descriptions for
// code generation. The models are those in slots without a Go type.
func (t *Types) Components(p *partitioner.Partition, models map[string]Model) (map[string]peerplan.Component, error) {
	c := &checker{Types: t, part: p, models: models, slots: map[string]*types.Named{}}
	for _, s := range p.Slots {
		if m, ok := models[s.Name]; ok {
			x, err := c.typeOf(m)
			if err != nil {
				return nil, fmt.Errorf("slot %q of %s: %w", s.Name, p.Class, err)
			}
			c.slots[s.Name] = x
		}
	}
	out := map[string]peerplan.Component{}
	for _, s := range p.Slots {
		x, err := c.in(s)
		if err != nil {
			c.errs = append(c.errs, fmt.Errorf("%sslot %q of %s: %w", c.where(s), s.Name, p.Class, err))
			continue
		}
		if path := x.Obj().Pkg().Path(); t.heavy[path] != nil {
			c.errs = append(c.errs, fmt.Errorf("%sslot %q of %s: package %s imports bbgen/dsl%s, and peers would carry the compiler: move %s to a package that does not, such as %s/parts",
				c.where(s), s.Name, p.Class, path, byWay(t.heavy[path]), typeText(x), path))
		}
		out[s.Name] = c.describe(s, x)
	}
	c.calls(func(n *ir.Node) { c.check(n) })
	return out, errors.Join(c.errs...)
}

// checker collects the errors of a partition's slots.
type checker struct {
	*Types
	part   *partitioner.Partition
	models map[string]Model        // by slot
	slots  map[string]*types.Named // their types
	errs   []error
}

// calls calls f for each node that calls a component.
func (c *checker) calls(f func(n *ir.Node)) {
	seen := map[*ir.Node]bool{}
	for _, m := range c.part.Modules {
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				if n := s.Node; n != nil && !seen[n] && strings.HasPrefix(n.Domain, peer.RolePrefix) {
					seen[n] = true
					f(n)
				}
			}
		}
	}
}

// where returns the position of the first call on a slot.
func (c *checker) where(s *partitioner.Slot) string {
	pos := ""
	c.calls(func(n *ir.Node) {
		if pos == "" && n.Str(peer.SlotAttr) == s.Name && n.Pos != "" {
			pos = n.Pos + ": "
		}
	})
	return pos
}

func (c *checker) slot(name string) *partitioner.Slot {
	for _, s := range c.part.Slots {
		if s.Name == name {
			return s
		}
	}
	return nil
}
