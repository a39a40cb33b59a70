package dsl

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir/train"
)

// Binding binds a component to a slot.
type Binding struct {
	table     artifact.Binding
	operators []string // of an engine; nil if they are not known before it is opened
	err       error
}

// The options of a training step, as in package ir/train.
type (
	Train     = train.Options
	Loss      = train.Loss
	Optimizer = train.Optimizer
	Group     = train.Group
)

// Go binds a slot to a Go type. The component of each peer starts as a copy of value, with its exported
// fields as configuration. The type must be exported and must not be declared in package main.
func Go(value any) Binding {
	t := reflect.TypeOf(value)
	v := reflect.ValueOf(value)
	for t != nil && t.Kind() == reflect.Pointer && !v.IsNil() {
		t, v = t.Elem(), v.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return Binding{err: fmt.Errorf("Go(%T): want a value of a struct type", value)}
	}
	err := declared(t)
	var fields json.RawMessage
	if err == nil {
		fields, err = config(v)
	}
	if err != nil {
		return Binding{err: fmt.Errorf("Go(%T): %w", value, err)}
	}
	return Binding{operators: operators(v), table: artifact.Binding{Package: t.PkgPath(), Type: t.Name(), Value: fields, Encoded: encoded(v), Noise: noise(v), Sampling: sampling(v)}}
}

// declared returns an error if generated code cannot name the type.
func declared(t reflect.Type) error {
	switch {
	case t == nil || t.Name() == "" || t.PkgPath() == "" || strings.ContainsAny(t.Name(), "[·"):
		return errors.New("want a type that a package declares, without type parameters")
	case t.PkgPath() == "main":
		return errors.New("a peer cannot import package main: move the type to a package of its own")
	case t.Name()[0] < 'A' || t.Name()[0] > 'Z':
		return errors.New("a peer cannot name the type: export it")
	}
	return nil
}

// config returns the exported fields of a struct as JSON.
func config(v reflect.Value) (json.RawMessage, error) {
	fields, err := exported(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// exported returns the exported fields of a struct that are not zero, by name. encoding/json sorts them.
func exported(v reflect.Value) (map[string]any, error) {
	out := map[string]any{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case v.Field(i).IsZero():
			continue
		case !f.IsExported():
			return nil, fmt.Errorf("field %s has a value that peers would begin without, as it is not exported: export it, or set it in a method Open(runtime.Env) error", f.Name)
		}
		x, err := configValue(v.Field(i))
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		out[f.Name] = x
	}
	return out, nil
}

// configValue returns a value in a form that ignores JSON tags and marshal methods, as it becomes a Go
// literal again.
func configValue(v reflect.Value) (any, error) {
	switch v.Kind() {
	case reflect.Struct:
		return exported(v)
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			x, err := configValue(v.Index(i))
			if err != nil {
				return nil, err
			}
			list[i] = x
		}
		return list, nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return nil, fmt.Errorf("the text %q is no UTF-8", v.String())
		}
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint(), nil
	case reflect.Float32, reflect.Float64:
		return configFloat(v)
	}
	return nil, fmt.Errorf("a %s cannot be written into a peer's code: want numbers, strings, bools, and structs and lists of those; the method Open(runtime.Env) error can make what else there is", v.Type())
}

func configFloat(v reflect.Value) (any, error) {
	if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%v is no number that can be written into a peer's code", x)
	}
	if v.Kind() == reflect.Float32 {
		return float32(v.Float()), nil
	}
	return v.Float(), nil
}

// ONNX binds a Model slot to the graph in a file. The path is relative to the package that records the
// program. Bbgen generates its gradients and a training step as how specifies; a model that the program does
// not train needs no how.
func ONNX(file string, how ...Train) Binding {
	var t Train
	if len(how) > 1 {
		return Binding{err: fmt.Errorf("ONNX(%q): %d ways to train, want one", file, len(how))}
	}
	if len(how) == 1 {
		t = how[0]
	}
	options, err := config(reflect.ValueOf(t))
	if err != nil {
		return Binding{err: fmt.Errorf("ONNX(%q): %w", file, err)}
	}
	if file == "" {
		return Binding{err: fmt.Errorf("ONNX: which file?")}
	}
	return Binding{table: artifact.Binding{Model: file, Train: options}}
}

// Needs sets a field of the component to the component in another slot of the peer.
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
