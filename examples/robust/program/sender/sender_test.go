package sender

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// An honest client sends its parameters. A hostile one goes from the old parameters in the opposite direction. Neither
// changes its own.
func TestSent(t *testing.T) {
	for flip, want := range map[float32][]float32{0: {3, 1, 7}, 1: {-1, 7, 7}, 2: {-3, 10, 7}} {
		began, now := tensor.DenseOf([]float32{1, 4, 7}, 3), tensor.DenseOf([]float32{3, 1, 7}, 3)
		s := Sender{Flip: flip}
		got, err := s.Sent(began, now)
		if err != nil || !slices.Equal(got.Data, want) {
			t.Errorf("Flip %v: %v %v, want %v", flip, got.Data, err, want)
		}
		got.Data[0] = 100
		if !slices.Equal(now.Data, []float32{3, 1, 7}) || !slices.Equal(began.Data, []float32{1, 4, 7}) {
			t.Errorf("Flip %v: the client's parameters are now %v, before %v", flip, now.Data, began.Data)
		}
	}
}
