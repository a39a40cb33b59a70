package shape

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/values"
)

// A change by the host during a command affects the next command, and a change by a command becomes the host's
// when the next one begins.
func TestViews(t *testing.T) {
	var k Known
	two, three := []int{2}, []int{3}
	k.Begin()
	k.Expect(two)
	if k.Admit(three, nil) == nil || k.Contributed(three, nil) != nil {
		t.Error("the command sees what the host was told while it ran")
	}
	if k.Begin(); k.Contributed(three, nil) == nil {
		t.Error("the next command does not know the shape")
	}
	k = Known{}
	k.Learn(two)
	if k.Admit(three, nil) != nil {
		t.Error("the host sees what a command has learned before it ends")
	}
	if k.Begin(); k.Admit(three, nil) == nil || k.Admit(two, nil) != nil {
		t.Error("the host does not know what the last command has learned")
	}
	if k.Expect([]int{0}); k.Admit(two, nil) != nil {
		t.Error("a shape without elements is taken for the model's")
	}
	if k.Admit(two, three) == nil || k.Admit(three, three) != nil {
		t.Error("what the author says does not count")
	}
}

func TestState(t *testing.T) {
	for _, shape := range [][]int{nil, {}, {2, 3}} {
		var k, got Known
		k.host = shape
		state := k.Append(nil)
		f := values.NewFields(state)
		got.Read(f, len(state))
		if err := f.End(); err != nil || (got.host == nil) != (shape == nil) || len(shape) > 0 && got.Admit(shape, nil) != nil {
			t.Errorf("%v became %v (%v)", shape, got.host, err)
		}
		for n := range state {
			f := values.NewFields(state[:n])
			if got.Read(f, n); f.End() == nil {
				t.Errorf("%d of %d bytes are accepted", n, len(state))
			}
		}
	}
}
