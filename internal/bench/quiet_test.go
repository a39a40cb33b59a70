package main

import (
	"errors"
	"testing"
)

// TestQuietly: a timing is repeated while the core is slower than before, but not for ever.
func TestQuietly(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		name   string
		quiet  bool
		before float64   // the best speed that was seen
		speeds []float64 // of the core, the last one for ever
		err    error
		want   int // timings
	}{
		{"off", false, 0, []float64{100, 1}, nil, 1},
		{"quiet", true, 0, []float64{100, 91}, nil, 1},
		{"slower at the end", true, 0, []float64{100, 50, 50, 50, 100}, nil, 2},
		{"slower for a moment", true, 0, []float64{100, 50, 100}, nil, 1},
		{"slower at the beginning", true, 100, []float64{50, 50, 50, 50, 100}, nil, 1},
		{"never as fast again", true, 0, []float64{100, 50}, nil, 2},
		{"faster than ever", true, 0, []float64{50, 100}, nil, 1},
		{"an error", true, 0, []float64{100, 50}, failed, 1},
	} {
		b, i, timings := &bench{quiet: c.quiet, fastest: c.before}, 0, 0
		speed := func() float64 {
			v := c.speeds[min(i, len(c.speeds)-1)]
			i++
			return v
		}
		_, err := b.quietly(speed, func() (line, error) {
			timings++
			return line{}, c.err
		})
		if timings != c.want || err != c.err {
			t.Errorf("%s: %d timings, error %v, want %d, %v", c.name, timings, err, c.want, c.err)
		}
	}
}
