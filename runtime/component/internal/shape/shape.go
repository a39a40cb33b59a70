// Package shape knows the shape of the model that contributions to an aggregator must have.
package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
)

// Known is a shape as far as it is known. The zero value knows nothing.
//
// The host calls Expect and Admit beside a command of the component, so that a command
// has a view of its own: it begins with what the host knows, and what it learns is the
// host's when the next command begins.
type Known struct {
	host, command []int
}

// Begin is called by Enter, and where else no command runs: what the last one has learned
// is known now.
func (k *Known) Begin() {
	if k.host == nil {
		k.host = k.command
	}
	k.command = k.host
}

// Expect says what the shape is: see [runtime.Shaped]. One without elements may still get
// its shape.
func (k *Known) Expect(shape []int) {
	if !slices.Contains(shape, 0) {
		k.host = slices.Clone(shape) // a command may read the one before
	}
}

// Admit is called by the host and says what is wrong with the shape of a contribution. The
// author may say what it must be; nil: nobody has.
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
	rank := int64(0) // and 1; 0: it is not known
	if k.host != nil {
		rank = int64(len(k.host)) + 1
	}
	b = runtime.AppendScalar(b, rank)
	for _, d := range k.host {
		b = runtime.AppendScalar(b, int64(d))
	}
	return b
}

// Read sets what Append has written in a snapshot of so many bytes.
func (k *Known) Read(f *runtime.Fields, size int) {
	var rank int64
	var shape []int
	if runtime.ReadScalar(f, &rank); rank > 0 {
		shape = []int{}
	}
	for i := int64(1); i < min(rank, int64(size)); i++ {
		var d int64
		runtime.ReadScalar(f, &d)
		shape = append(shape, int(d))
	}
	*k = Known{host: shape, command: shape}
}
