package delta

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// What senders and receivers have is read by later versions.
func TestStates(t *testing.T) {
	v, c := &Versions{}, &Copy{}
	sender, receiver := func() runtime.Component { return &Versions{} }, func() runtime.Component { return &Copy{} }
	statetest.Check(t, "none", v, sender)
	for i := range 3 {
		if _, err := v.Put(tensor.DenseOf([]float32{1, float32(i)}, 2)); err != nil {
			t.Fatal(err)
		}
	}
	news, err := v.Since(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(news); err != nil {
		t.Fatal(err)
	}
	statetest.Check(t, "versions", v, sender)
	statetest.Check(t, "copy", c, receiver)
}
