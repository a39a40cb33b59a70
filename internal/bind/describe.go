package bind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"strconv"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// describe describes the type in a slot, and reports its errors.
func (c *checker) describe(s *partitioner.Slot, t *types.Named) peerplan.Component {
	out := peerplan.Component{
		Package: t.Obj().Pkg().Path(), Type: t.Obj().Name(),
		Needs: s.Binding.Needs, Methods: map[string]peerplan.Method{},
	}
	c.calls(func(n *ir.Node) {
		names := []string{}
		if n.Str(peer.SlotAttr) == s.Name {
			names = append(names, method(n), "TrainStep")
		}
		if n.Str("data") == s.Name {
			names = append(names, "NextBatch")
		}
		for _, name := range names {
			if m := lookup(t, name); m != nil {
				f := c.first(m.Signature())
				out.Methods[name] = peerplan.Method{Context: f == contextFirst, Peer: f == peerFirst, Large: largeAt(n, m.Signature()) >= 0, Results: max(m.Signature().Results().Len()-1, 0)}
			}
		}
	})
	out.Opens = lookup(t, "Open") != nil
	out.Shaped = has(t, map[string]string{"Expect": "func([]int)", "Admit": "func([]int) error"})
	out.Gathers = has(t, map[string]string{"Enter": "func(" + pkgRuntime + ".Round)", "Leave": "func(" + pkgRuntime + ".Round)"})
	out.Keeps = lookup(t, "AppendBinary") != nil && lookup(t, "UnmarshalBinary") != nil
	if field := hidden(t); field != "" && !out.Keeps {
		c.errs = append(c.errs, fmt.Errorf("%sslot %q of %s: %s has the field %s, which snapshots must hold, but not the methods\n\tAppendBinary([]byte) ([]byte, error)\n\tUnmarshalBinary([]byte) error\nIf Open sets the field at each start, export it: then it is configuration, and no methods are needed",
			c.where(s), s.Name, c.part.Class, typeText(t), field))
	}
	c.checkNeeds(s, t)
	value, err := literal(t, s.Binding.Value)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("%sslot %q of %s: %s: %w", c.where(s), s.Name, c.part.Class, typeText(t), err))
	}
	out.Value = value
	return out
}

// has reports whether a type has methods of these signatures.
func has(t *types.Named, methods map[string]string) bool {
	for name, want := range methods {
		m := lookup(t, name)
		if m == nil {
			return false
		}
		s := m.Signature()
		if types.TypeString(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()), nil) != want {
			return false
		}
	}
	return true
}

// unnamed returns a tuple without the names.
func unnamed(t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		vars[i] = types.NewParam(token.NoPos, nil, "", t.At(i).Type())
	}
	return types.NewTuple(vars...)
}

// hidden returns the name of an unexported field of a struct, or "".
func hidden(t *types.Named) string {
	s, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if !s.Field(i).Exported() {
			return s.Field(i).Name()
		}
	}
	return ""
}

// literal returns a value, recorded as JSON, as a Go expression of type t.
func literal(t types.Type, value json.RawMessage) (peerplan.Literal, error) {
	if len(value) == 0 || string(value) == "null" {
		return zero(t), nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return structLiteral(t, u, value)
	case *types.Slice:
		return listLiteral("[]", u.Elem(), value)
	case *types.Array:
		return listLiteral("["+strconv.FormatInt(u.Len(), 10)+"]", u.Elem(), value)
	case *types.Basic:
		return peerplan.Literal{Text: basicText(u, value)}, nil
	}
	return peerplan.Literal{}, fmt.Errorf("a value of type %s cannot be written down: give the field a number, a text, a list or a struct", typeText(t))
}

// zero returns a value that the author has not set.
func zero(t types.Type) peerplan.Literal {
	n, ok := t.(interface{ Obj() *types.TypeName }) // a type of its own, or an alias
	if _, isStruct := t.Underlying().(*types.Struct); ok && isStruct {
		return peerplan.Literal{Package: n.Obj().Pkg().Path(), Type: n.Obj().Name()}
	}
	return peerplan.Literal{}
}

func basicText(t *types.Basic, value json.RawMessage) string {
	if t.Info()&types.IsString != 0 {
		var s string
		if json.Unmarshal(value, &s) == nil {
			return strconv.Quote(s)
		}
	}
	return string(value)
}

func structLiteral(t types.Type, s *types.Struct, value json.RawMessage) (peerplan.Literal, error) {
	out := zero(t)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(value, &fields); err != nil {
		return out, err
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		raw, ok := fields[f.Name()]
		if !ok || isZero(raw) {
			continue
		}
		x, err := literal(f.Type(), raw)
		if err != nil {
			return out, fmt.Errorf("field %s: %w", f.Name(), err)
		}
		out.Fields = append(out.Fields, peerplan.LiteralField{Name: f.Name(), Value: x})
	}
	return out, nil
}

// isZero reports whether JSON is the encoding of a zero value.
func isZero(value json.RawMessage) bool {
	for _, z := range []string{"0", `""`, "false", "null", "[]", "{}"} {
		if bytes.Equal(bytes.TrimSpace(value), []byte(z)) {
			return true
		}
	}
	return false
}

func listLiteral(prefix string, elem types.Type, value json.RawMessage) (peerplan.Literal, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return peerplan.Literal{}, err
	}
	out := peerplan.Literal{Prefix: prefix}
	switch e := elem.(type) {
	case *types.Named:
		out.Package, out.Type = e.Obj().Pkg().Path(), e.Obj().Name()
	case *types.Basic:
		out.Type = e.Name()
	default:
		return out, fmt.Errorf("a list of %s cannot be written down", typeText(elem))
	}
	for _, raw := range list {
		x, err := literal(elem, raw)
		if err != nil {
			return out, err
		}
		out.Elems = append(out.Elems, x)
	}
	return out, nil
}
