package main

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/internal/bench/peak"
)

// A core is quiet while short measurements reach this part of the best peak seen: a neighbor on the core's other thread
// halves it.
const quietPart = 0.9

// A timing waits for a quiet core at most so often.
const quietTries = 20

// quietly times a contender while the core is quiet just before and just after it, if b asks for that. All contenders of a row are
// timed so. After some tries it takes the time as it is: a neighbor may never leave.
func (b *bench) quietly(speed func() float64, measure func() (line, error)) (line, error) {
	for try := 1; ; try++ {
		last := !b.quiet || try == quietTries
		if last || b.calm(speed) {
			l, err := measure()
			if err != nil || last || b.calm(speed) {
				return l, err
			}
		}
		b.again++
	}
}

// calm reports whether the core is as fast as ever. It waits a little for that.
func (b *bench) calm(speed func() float64) bool {
	for range 3 {
		v := speed()
		if b.fastest = max(b.fastest, v); v >= quietPart*b.fastest {
			return true
		}
		time.Sleep(b.budget / 10)
	}
	return false
}

// speed returns what measures the speed of the present core at the best level, briefly.
func (b *bench) speed() float64 { return peak.At(b.best, 1, peakFLOPs) }

// quietness says what was repeated, for the page.
func (b *bench) quietness() string {
	if !b.quiet {
		return ""
	}
	return fmt.Sprintf(" Nothing was timed while the core had less than %.0f %% of its speed, just before and just after (%d timings were put off or repeated).", 100*quietPart, b.again)
}
