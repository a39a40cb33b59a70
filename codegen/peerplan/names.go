package peerplan

import (
	"strings"

	"github.com/bbgen/bbgen/codegen/ident"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/partitioner"
)

// scopes are the identifiers in use in a package: the fields of type peer, the types and constants, and the
// names of files.
type scopes struct{ fields, types, files *ident.Scope }

// constant returns the name of a constant of a frame: cutLoaded, or cutWorkerLoaded if an earlier frame has
// cutLoaded.
func (s scopes) constant(kind string, f *Frame, name string) string {
	if id := ident.NewScope().Local(kind + " " + name); s.types.Has(id) {
		name = f.Module.Name + " " + name
	}
	return s.types.Local(kind + " " + name)
}

// CutName returns the name of a cut point without its class.
func (p *Plan) CutName(c *partitioner.Cut) string {
	return strings.TrimPrefix(ident.Short(c.Name), p.Part.Class+".")
}

// ValueName returns the name of a value without its class and modules.
func (p *Plan) ValueName(v *ir.Value) string {
	return strings.TrimPrefix(ident.Short(v.Name), p.Part.Class+".")
}
