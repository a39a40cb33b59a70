// Package artifact is what a recorded program says beside its graph: its name, and what
// is bound to the slots of its classes. An artifact is an ONNX model that ONNX's own
// tools load; this stands in its metadata, under keys that begin with
// ai.bytesandbrains. Package dsl writes it, the compiler reads it.
package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// The keys. That of a binding goes on with a class, a dot and a slot.
const (
	keyProgram = "ai.bytesandbrains.program"
	keyBinding = "ai.bytesandbrains.binding."
)

// Binding says which component is in a slot: a Go type, or an ONNX graph.
type Binding struct {
	Role string `json:",omitempty"` // that the slot is for, if the artifact says

	// Package and Type name a Go type of the author's or of bbgen's; Value is
	// what it begins as, a Go composite literal's fields as JSON. Needs says
	// which fields point to the components in which other slots.
	Package, Type string            `json:",omitempty"`
	Value         json.RawMessage   `json:",omitempty"`
	Needs         map[string]string `json:",omitempty"`

	// Model is an ONNX graph instead, trained as Train says (JSON of
	// ir/train's options); the file's path is as the author wrote it.
	Model string          `json:",omitempty"`
	Train json.RawMessage `json:",omitempty"`

	Encoded *Encoded `json:",omitempty"` // of a codec that says how many bytes it makes
	Noise   *Noise   `json:",omitempty"` // of a component that says how much it adds

	// Sampling is the probability with which a selector draws each peer by itself, of
	// one that says so.
	Sampling float64 `json:",omitempty"`
}

// Noise is what a component adds to what one of its methods returns, to hide what a single
// peer has given.
type Noise struct {
	Method   string
	Multiple float64 // deviation of the noise, divided by how much one peer can change
	Sampling float64 // probability that a peer has given anything
}

// Encoded is how many bytes a codec makes of a vector: so many, and so many for each
// element.
type Encoded struct {
	Fixed int
	Each  float64
}

// Bytes is how many bytes a vector becomes.
func (e *Encoded) Bytes(elements int) int {
	return e.Fixed + int(math.Round(e.Each*float64(elements)))
}

// Key is the metadata key of what is bound to a slot of a class.
func Key(class, slot string) string { return keyBinding + class + "." + slot }

// IsBinding reports whether metadata of a key is a binding.
func IsBinding(key string) bool { return strings.HasPrefix(key, keyBinding) }

// IsProgram reports whether a module is a recorded program rather than a model.
func IsProgram(m *ir.Module) bool { return find(m, keyProgram) != nil }

// SetProgram makes a module a recorded program of a name.
func SetProgram(m *ir.Module, name string) { set(m, keyProgram, name) }

// Bind binds a component to a slot of a class.
func Bind(m *ir.Module, class, slot string, b Binding) {
	text, err := json.Marshal(b)
	if err != nil {
		panic("BUG: " + err.Error()) // its parts are JSON
	}
	set(m, Key(class, slot), string(text))
}

// Bound is what the metadata of a key binds, nil if there is none.
func Bound(m *ir.Module, key string) (*Binding, error) {
	text := find(m, key)
	if text == nil {
		return nil, nil
	}
	return Parse(key, *text)
}

// Parse reads a binding as metadata of a key has it. What it does not know is an
// error: a slot would do something else than its author wants.
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
