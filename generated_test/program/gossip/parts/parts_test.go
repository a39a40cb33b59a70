package parts

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

func TestSensor(t *testing.T) {
	var s Sensor
	if err := s.Open(runtime.Env{Rank: 7}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Read()
	if err != nil || !slices.Equal(got.Data, []float64{7}) || !slices.Equal(got.Shape, []int{1}) {
		t.Errorf("got %v of shape %v, %v, want 7", got.Data, got.Shape, err)
	}
}
