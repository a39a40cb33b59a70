// Package shape tracks the shape of the model that contributions to an aggregator must have.
package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/values"
)

// Known is a shape, if it is known. The zero value is unknown.
//
// The host calls Expect and Admit concurrently with a command of the component, so a command has a view of its
// own: it begins with the host's view, and what it learns becomes the host's when the next command begins.
type Known struct {
	host, command []int
}

// Begin is called by Enter, and whenever no command runs: the host's view gets the result of the last command.
func (k *Known) Begin() {
	if k.host == nil {
		k.host = k.command
	}
	k.command = k.host
}

// Expect says what the shape is: see [runtime.Shaped]. A tensor without elements may get its shape later.
func (k *Known) Expect(shape []int) {
	if !slices.Contains(shape, 0) {
		k.host = slices.Clone(shape) // a command may read the previous one
	}
}

// Admit is called by the host. It returns an error if the shape of a contribution is wrong. Said is the
// configured shape, or nil.
func (k *Known) Admit(shape, said []int) error { return admit(shape, said, k.host) }

// Contributed is Admit for commands.
func (k *Known) Contributed(shape, said []int) error { return admit(shape, said, k.command) }

// Learn is called by commands: the model has this shape.
func (k *Known) Learn(shape []int) { k.command = slices.Clone(shape) }

func admit(shape, said, known []int) error {
	if said != nil {
		known = said
	}
	if known != nil && !slices.Equal(shape, known) {
		return fmt.Errorf("the shape is %v, want the model's, %v", shape, known)
	}
	return nil
}

// Append appends the shape, for a snapshot.
func (k *Known) Append(b []byte) []byte {
	k.Begin()
	rank := int64(0) // plus 1; 0: unknown
	if k.host != nil {
		rank = int64(len(k.host)) + 1
	}
	b = values.AppendScalar(b, rank)
	for _, d := range k.host {
		b = values.AppendScalar(b, int64(d))
	}
	return b
}

// Read reads the output of Append from a snapshot of size bytes.
func (k *Known) Read(f *values.Fields, size int) {
	var rank int64
	var shape []int
	if values.ReadScalar(f, &rank); rank > 0 {
		shape = []int{}
	}
	for i := int64(1); i < min(rank, int64(size)); i++ {
		var d int64
		values.ReadScalar(f, &d)
		shape = append(shape, int(d))
	}
	*k = Known{host: shape, command: shape}
}
