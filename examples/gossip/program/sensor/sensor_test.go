package sensor

import (
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// The temperatures of many peers have the mean 20 and the standard deviation 5.
func TestCelsius(t *testing.T) {
	const n = 10000
	sum, squares := 0.0, 0.0
	for rank := range n {
		d := Celsius(1, rank) - 20
		sum, squares = sum+d, squares+d*d
	}
	if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 0.25 || math.Abs(deviation-5) > 0.25 {
		t.Errorf("20%+v±%v, want about 20±5", mean, deviation)
	}
}

// A peer reads the same temperature each time, which is that of its seed and rank.
func TestRead(t *testing.T) {
	var s Sensor
	if err := s.Open(runtime.Env{Seed: 3, Rank: 2}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		x, err := s.Read()
		if err != nil || len(x.Data) != 1 || x.Data[0] != Celsius(3, 2) {
			t.Errorf("%v %v, want %v", x.Data, err, Celsius(3, 2))
		}
	}
	if Celsius(3, 2) == Celsius(3, 1) || Celsius(3, 2) == Celsius(2, 2) {
		t.Error("peers or seeds have the same temperature")
	}
}
