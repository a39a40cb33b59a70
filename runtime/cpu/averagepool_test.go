package cpu

import (
	"slices"
	"testing"
)

// TestAveragePool checks averages of windows with and without padding.
func TestAveragePool(t *testing.T) {
	pad1 := window([]int{3}, []int{2}, []int{1}, []int{1}, []int{1}, []int{1})
	beyond := window([]int{3}, []int{2}, []int{2}, []int{1}, []int{0}, []int{0})
	beyond.Out = []int{2} // as with ceil_mode
	for _, c := range []struct {
		name   string
		x      []float64
		win    Window
		padded bool
		want   []float64
	}{
		{"inputs only", []float64{2, 4, 6}, pad1, false, []float64{2, 3, 5, 6}},
		{"with padding", []float64{2, 4, 6}, pad1, true, []float64{1, 3, 5, 3}},
		{"beyond the end", []float64{2, 4, 6}, beyond, true, []float64{3, 6}},
		{"nothing met", []float64{2}, window([]int{1}, []int{1}, []int{1}, []int{1}, []int{1}, []int{0}), false, []float64{0, 2}},
	} {
		got := make([]float64, len(c.want))
		AveragePool(got, c.x, 1, c.padded, c.win)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
