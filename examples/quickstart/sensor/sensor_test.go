package sensor

import "testing"

func TestRead(t *testing.T) {
	s := Sensor{Start: 18}
	for round, want := range map[int64]float32{0: 18, 1: 18.5, 7: 21.5} {
		if got, err := s.Read(round); got != want || err != nil {
			t.Errorf("round %d: %v %v, want %v", round, got, err, want)
		}
	}
}
