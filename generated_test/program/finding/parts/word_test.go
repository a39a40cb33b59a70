package parts

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestWord: each peer has a value, and knows the key of the next one, after a restart, too.
func TestWord(t *testing.T) {
	w := &Word{}
	if err := w.Open(runtime.Env{Rank: 9}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*Word{w, statetest.Restart(t, w, &Word{})} {
		for _, c := range []struct {
			name string
			call func() (tensor.Dense[uint8], error)
			want string
		}{
			{"Key", w.Key, "key 9"}, {"Value", w.Value, "value 9"}, {"Next", w.Next, "key 10"},
		} {
			got, err := c.call()
			if err != nil || string(got.Data) != c.want || len(got.Shape) != 1 || got.Shape[0] != len(c.want) {
				t.Errorf("%s: got %q of shape %v, %v, want %q", c.name, got.Data, got.Shape, err, c.want)
			}
		}
	}
	if err := w.UnmarshalBinary(make([]byte, 9)); err == nil {
		t.Error("a byte more than a rank is accepted")
	}
}
