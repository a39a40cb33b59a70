package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
)

// described lists the keys of a model's metadata that become variables in generated code.
var described = []struct {
	names       func(m *ir.Module) ([]string, error)
	field, what string
}{
	{(*ir.Module).Classes, "Classes", "what the scores of the first output stand for"},
	{func(m *ir.Module) ([]string, error) { return m.Names(keys.Columns) }, "Columns", "what the features of the first input are"},
}

// metadata returns the file with the model's metadata, or nothing if there are none.
func (e *emitter) metadata() ([]emitted, error) {
	var vars []func(f *jen.File)
	for _, d := range described {
		names, err := d.names(e.m)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 {
			vars = append(vars, func(f *jen.File) { emitNames(f, d.field, d.what, names) })
		}
	}
	if meta := slices.DeleteFunc(slices.Clone(e.m.Meta), isOurs); len(meta) > 0 {
		vars = append(vars, func(f *jen.File) { emitMetadata(f, meta) })
	}
	if vars == nil {
		return nil, nil
	}
	return []emitted{{name: "metadata.bb.go", emit: func(f *jen.File) {
		for _, v := range vars {
			v(f)
		}
	}}}, nil
}

// isOurs reports whether the metadata have one of bbgen's own keys, which are interpreted elsewhere.
func isOurs(kv ir.Metadata) bool { return strings.HasPrefix(kv.Key, keys.Own) }

// emitNames emits a list of names:
//
//	// Classes are what the scores of the first output stand for.
//	var Classes = []string{"cat", "dog"}
func emitNames(f *jen.File, field, what string, names []string) {
	f.Comment(fmt.Sprintf("%s are %s.", field, what))
	f.Var().Id(field).Op("=").Add(emitStrings(names))
}

// emitStrings emits a list of strings, one on each line.
func emitStrings(list []string) *jen.Statement {
	return jen.Index().String().CustomFunc(multiline, func(g *jen.Group) {
		for _, s := range list {
			g.Lit(s)
		}
	})
}

// emitMetadata emits keys and values. If a key occurs twice, the last value counts.
func emitMetadata(f *jen.File, meta []ir.Metadata) {
	values := jen.Dict{}
	last := map[string]string{}
	for _, kv := range meta {
		last[kv.Key] = kv.Value
	}
	for key, value := range last {
		values[jen.Lit(key)] = jen.Lit(value)
	}
	f.Comment("Metadata is the metadata of the model's file.")
	f.Var().Id("Metadata").Op("=").Map(jen.String()).String().Values(values)
}
