package main

import (
	"log"
	"slices"
	"time"
)

// row is one figure.
type row struct {
	Figure    string  `json:"figure"`
	Ranks     int     `json:"ranks"`
	Bytes     int     `json:"bytes,omitempty"`
	Algorithm string  `json:"algorithm,omitempty"`
	Encrypted bool    `json:"encrypted"`
	Value     float64 `json:"value"`
	Best      float64 `json:"best,omitempty"` // the best of several, of which Value is the median
	Unit      string  `json:"unit,omitempty"`
	Gloo      float64 `json:"gloo,omitempty"`      // the value of Gloo, in the same unit
	OverGloo  float64 `json:"over_gloo,omitempty"` // the speed relative to Gloo
	Bound     string  `json:"bound,omitempty"`     // "≤" or "≥": the required relation of OverGloo, or else of Value, to Bar
	Bar       float64 `json:"bar,omitempty"`
	Met       *bool   `json:"met,omitempty"`
}

// add writes a row.
func (b *bench) add(r row) error {
	if r.Bound != "" {
		x := r.Value
		if r.Gloo > 0 {
			x = r.OverGloo
		}
		met := x >= r.Bar
		if r.Bound == "≤" {
			met = x <= r.Bar
		}
		r.Met = &met
	}
	return b.out.Encode(r)
}

// timed returns a row for a list of times, in milliseconds.
func timed(figure string, ranks int, times []time.Duration) row {
	slices.Sort(times)
	return row{Figure: figure, Ranks: ranks, Value: ms(times[len(times)/2]), Best: ms(times[0]), Unit: "ms"}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// tell reports the progress on standard error.
func tell(format string, args ...any) { log.Printf(format, args...) }
