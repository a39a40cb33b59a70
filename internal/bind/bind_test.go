package bind_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/bind"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// TestBind shows the bindings of programs to the types of package testdata/parts: their errors, or how code
// uses the types.
func TestBind(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse(a.Name, a.Get("in.ir"))
		if err == nil {
			err = pass.Run(m, pass.Pipeline, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		models, err := models(a)
		if err != nil {
			t.Fatal(err)
		}
		list, err := bound(m, models)
		if err != nil {
			a.Check("out/error", err.Error())
			return
		}
		a.Check("out/components", list)
	})
}

// bound returns the components of a program as text.
func bound(m *ir.Module, models map[string]bind.Model) (string, error) {
	types, err := bind.Load(m, ".")
	if err != nil {
		return "", err
	}
	prog, err := partitioner.Make(m, partitioner.Options{Command: types.Command})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range prog.Parts {
		list, err := types.Components(p, models)
		if err != nil {
			return "", err
		}
		var names []string
		for name := range list {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			c := list[name]
			fmt.Fprintf(&b, "%s.%s: %s.%s opens %v keeps %v needs %v\n  %+v\n", p.Class, name, c.Package, c.Type, c.Opens, c.Keeps, c.Needs, c.Value)
			fmt.Fprintf(&b, "  %+v\n", c.Methods)
		}
	}
	return b.String(), nil
}

// models parses the section "model". Each line is a method of the model in a slot: bottom TrainStep (x
// float32[batch,4]; t int64[batch]) (loss float32[]).
func models(a *golden.Archive) (map[string]bind.Model, error) {
	if !a.Has("model") {
		return nil, nil
	}
	out := map[string]bind.Model{}
	for line := range strings.Lines(a.Get("model")) {
		slot, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, rest, _ := strings.Cut(rest, " (")
		in, rest, _ := strings.Cut(rest, ") (")
		m := codegen.SlotMethod{Name: name}
		var err error
		if m.Params, err = slotValues(in); err != nil {
			return nil, err
		}
		if m.Results, err = slotValues(strings.TrimSuffix(rest, ")")); err != nil {
			return nil, err
		}
		out[slot] = bind.Model{Package: "example.com/peer/" + slot, Methods: append(out[slot].Methods, m)}
	}
	return out, nil
}

func slotValues(text string) (out []codegen.SlotValue, err error) {
	for v := range strings.SplitSeq(text, "; ") {
		name, typ, _ := strings.Cut(v, " ")
		if name == "" {
			continue
		}
		t, err := ir.ParseType(typ)
		if err != nil {
			return nil, err
		}
		out = append(out, codegen.SlotValue{Name: name, Type: t})
	}
	return out, nil
}
