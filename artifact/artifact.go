// Package artifact holds the data of a recorded program besides its graph: its name, and the bindings of its
// classes' slots. An artifact is an ONNX model that ONNX's own tools load. These data are its metadata, under
// keys of package keys. Package dsl writes it, the compiler reads it.
package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
)

// Binding is the component in a slot: a Go type, or an ONNX graph.
type Binding struct {
	Role string `json:",omitempty"` // the slot's role, if it is known

	// Package and Type name a Go type, of the author or of bbgen. Value is its initial value, the fields of a
	// Go composite literal as JSON. Needs are the fields that point to the components in other slots.
	Package, Type string            `json:",omitempty"`
	Value         json.RawMessage   `json:",omitempty"`
	Needs         map[string]string `json:",omitempty"`

	// Model is an ONNX graph instead. Train is how it is trained (JSON of ir/train's options). The file's
	// path is as the author wrote it.
	Model string          `json:",omitempty"`
	Train json.RawMessage `json:",omitempty"`

	Encoded *Encoded `json:",omitempty"` // of a codec, as it declares or as was measured
	Noise   *Noise   `json:",omitempty"` // of a component with declared noise

	// Sampling is the probability with which a selector draws each peer independently, if it declares that.
	Sampling float64 `json:",omitempty"`
}

// Noise is the noise that a component adds to a method's result, to hide the contribution of a single peer.
type Noise struct {
	Method   string
	Multiple float64 // the deviation of the noise, relative to the maximum change by one peer
	Sampling float64 // the probability that a peer has contributed
}

// Encoded is the size of a codec's encoding of a vector: a fixed number of bytes, and a number for each
// element.
type Encoded struct {
	Fixed int
	Each  float64
}

// Bytes returns the size of an encoded vector.
func (e *Encoded) Bytes(elements int) int {
	return e.Fixed + int(math.Round(e.Each*float64(elements)))
}

// Key returns the metadata key of the binding of a slot.
func Key(class, slot string) string { return keys.Binding + class + "." + slot }

// IsBinding reports whether a metadata key is that of a binding.
func IsBinding(key string) bool { return strings.HasPrefix(key, keys.Binding) }

// SlotOf returns the class and the slot of a binding's key, with a dot between.
func SlotOf(key string) string { return strings.TrimPrefix(key, keys.Binding) }

// IsProgram reports whether a module is a recorded program rather than a model.
func IsProgram(m *ir.Module) bool { return find(m, keys.Program) != nil }

// SetProgram makes a module a recorded program with a name.
func SetProgram(m *ir.Module, name string) { set(m, keys.Program, name) }

// Bind binds a component to a slot of a class.
func Bind(m *ir.Module, class, slot string, b Binding) {
	text, err := json.Marshal(b)
	if err != nil {
		panic("BUG: " + err.Error()) // its fields are valid JSON
	}
	set(m, Key(class, slot), string(text))
}

// Bound returns the binding in the metadata with a key, or nil if there is none.
func Bound(m *ir.Module, key string) (*Binding, error) {
	text := find(m, key)
	if text == nil {
		return nil, nil
	}
	return Parse(key, *text)
}

// Parse parses a binding in metadata with a key. Unknown fields are an error: the slot would not do what its
// author wants.
func Parse(key, text string) (*Binding, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	b := new(Binding)
	err := d.Decode(b)
	if err == nil {
		if _, rest := d.Token(); rest != io.EOF {
			err = fmt.Errorf("there is more behind it")
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("metadata %q is no binding: %w", key, err)
	case b.Model != "" && b.Type != "":
		return nil, fmt.Errorf("metadata %q binds the file %q and the type %s.%s: want one of them", key, b.Model, b.Package, b.Type)
	}
	return b, nil
}

func find(m *ir.Module, key string) *string {
	i := slices.IndexFunc(m.Meta, func(kv ir.Metadata) bool { return kv.Key == key })
	if i < 0 {
		return nil
	}
	return &m.Meta[i].Value
}

func set(m *ir.Module, key, value string) {
	if at := find(m, key); at != nil {
		*at = value
		return
	}
	m.Meta = append(m.Meta, ir.Metadata{Key: key, Value: value})
}
