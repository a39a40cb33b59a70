package dsl

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/bbgen/bbgen/ir/train"
)

// Binding says which component is in a slot.
type Binding struct {
	table binding
	err   error
}

// binding is a Binding as the artifact has it, in JSON: the fields of
// partitioner.Binding.
type binding struct {
	Role          string            `json:",omitempty"`
	Package, Type string            `json:",omitempty"`
	Value         json.RawMessage   `json:",omitempty"`
	Needs         map[string]string `json:",omitempty"`
	Model         string            `json:",omitempty"`
	Train         json.RawMessage   `json:",omitempty"`
}

// The options of a training step, as in package ir/train.
type (
	Train     = train.Options
	Loss      = train.Loss
	Optimizer = train.Optimizer
	Group     = train.Group
)

// Go binds a slot to a Go type: the component of each peer begins as value, whose
// exported fields are its configuration. The type must be exported, and not be of
// a main package.
func Go(value any) Binding {
	t := reflect.TypeOf(value)
	v := reflect.ValueOf(value)
	for t != nil && t.Kind() == reflect.Pointer && !v.IsNil() {
		t, v = t.Elem(), v.Elem()
	}
	switch {
	case t == nil || t.Kind() != reflect.Struct:
		return Binding{err: fmt.Errorf("Go(%T): want a value of a struct type", value)}
	case t.Name() == "" || t.PkgPath() == "" || strings.ContainsAny(t.Name(), "[·"):
		return Binding{err: fmt.Errorf("Go(%T): want a type that a package declares, without type parameters", value)}
	case t.PkgPath() == "main":
		return Binding{err: fmt.Errorf("Go(%T): a peer cannot import package main: move the type to a package of its own", value)}
	case t.Name()[0] < 'A' || t.Name()[0] > 'Z':
		return Binding{err: fmt.Errorf("Go(%T): a peer cannot name the type: export it", value)}
	}
	fields, err := json.Marshal(exported(v))
	if err != nil {
		return Binding{err: fmt.Errorf("Go(%T): %w", value, err)}
	}
	return Binding{table: binding{Package: t.PkgPath(), Type: t.Name(), Value: fields}}
}

// exported are the fields of a struct that are not zero, by name; encoding/json
// sorts them.
func exported(v reflect.Value) map[string]any {
	out := map[string]any{}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
			out[f.Name] = configValue(v.Field(i))
		}
	}
	return out
}

// configValue is a value without what tags and methods of JSON make of it: it
// becomes a Go literal again.
func configValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		return exported(v)
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = configValue(v.Index(i))
		}
		return list
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Float32:
		return float32(v.Float())
	case reflect.Float64:
		return v.Float()
	}
	return v.Interface() // encoding/json says what it cannot do with
}

// ONNX binds a Model slot to the graph in a file, whose path is relative to the
// package that records the program. Bbgen makes its gradients and a step of
// training.
func ONNX(file string, t Train) Binding {
	options, err := json.Marshal(exported(reflect.ValueOf(t)))
	if err != nil {
		return Binding{err: fmt.Errorf("ONNX(%q): %w", file, err)}
	}
	if file == "" {
		return Binding{err: fmt.Errorf("ONNX: which file?")}
	}
	return Binding{table: binding{Model: file, Train: options}}
}

// Needs says that a field of the component is another component of the peer: the
// one in the slot of that name.
func (b Binding) Needs(field, slot string) Binding {
	needs := maps.Clone(b.table.Needs)
	if needs == nil {
		needs = map[string]string{}
	}
	needs[field] = slot
	b.table.Needs = needs
	return b
}

// isZero reports whether nothing was bound.
func (b Binding) isZero() bool { return b.err == nil && b.table.Type == "" && b.table.Model == "" }

// text is the binding as the artifact has it.
func (b binding) text() string {
	s, err := json.Marshal(b)
	if err != nil {
		panic("BUG: " + err.Error()) // its parts are JSON
	}
	return string(s)
}
