package cpu

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTfIdfRandom counts n-grams with a loop over skips, starts and grams, and weights them, for numbers and for strings.
func TestTfIdfRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		testTfIdf(t, rng, func(i int) int64 { return int64(i - 1) })
		testTfIdf(t, rng, func(i int) string { return []string{"", "a", "aa", "b"}[i] })
	}
}

func testTfIdf[T Index | string](t *testing.T, rng *rand.Rand, word func(i int) T) {
	o := TfIdfParams{Rows: 1 + rng.IntN(3), MinLen: 1 + rng.IntN(3), Skips: rng.IntN(4), Once: rng.IntN(2) == 0}
	o.MaxLen = o.MinLen + rng.IntN(3)
	n := rng.IntN(8)
	x := make([]T, o.Rows*n)
	for i := range x {
		x[i] = word(rng.IntN(4))
	}
	var grams []T
	var list [][]T // each gram
	for length := 1; length <= 3; length++ {
		var some [][]T
		for range rng.IntN(5) {
			g := make([]T, length)
			for k := range g {
				g[k] = word(rng.IntN(4))
			}
			if !slices.ContainsFunc(some, func(h []T) bool { return slices.Equal(g, h) }) {
				some = append(some, g)
			}
		}
		slices.SortFunc(some, slices.Compare[[]T])
		o.Counts = append(o.Counts, len(some))
		for _, g := range some {
			grams = append(grams, g...)
		}
		list = append(list, some...)
	}
	width := len(list) + 1
	index, weights := make([]int64, len(list)), make([]float32, width)
	for k := range index {
		index[k] = int64(rng.IntN(width)) // two grams may have one place
	}
	for k := range weights {
		weights[k] = float32(rng.IntN(5)) / 4
	}
	if rng.IntN(2) == 0 {
		weights = nil
	}
	got, want := make([]float32, o.Rows*width), make([]float32, o.Rows*width)
	for r := range o.Rows {
		row, y := x[r*n:][:n], want[r*width:][:width]
		for k, g := range list {
			if len(g) < o.MinLen || len(g) > o.MaxLen {
				continue
			}
			for step := 1; step == 1 || step <= o.Skips+1 && len(g) > 1; step++ {
				for i := 0; i+(len(g)-1)*step < n; i++ {
					same := true
					for j, w := range g {
						same = same && row[i+j*step] == w
					}
					if same {
						y[index[k]]++
					}
				}
			}
		}
		for k := range y {
			if o.Once {
				y[k] = min(y[k], 1)
			}
			if weights != nil {
				y[k] *= weights[k]
			}
		}
	}
	TfIdf(got, x, grams, index, weights, o)
	equal(t, fmt.Sprintf("%+v of %v", o, x), got, want...)
}

// TestStringSplitRandom: parts that are joined give the string again, no part but the last holds a delimiter, and white space
// separates as strings.Fields.
func TestStringSplitRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		b := make([]rune, rng.IntN(9))
		for i := range b {
			b[i] = []rune("ab-- \t\u00a0\u2003é")[rng.IntN(9)]
		}
		s, limit := string(b), rng.IntN(5)-1
		delimiter := []string{"-", "--", "a-", "é"}[rng.IntN(4)]
		width := StringSplitMax([]string{s}, delimiter, limit)
		parts, count := make([]string, width), make([]int64, 1)
		StringSplit(parts, count, []string{s}, delimiter, limit, width)
		if int(count[0]) != width || strings.Join(parts, delimiter) != s {
			t.Fatalf("%q at %q: %q", s, delimiter, parts)
		}
		for i, p := range parts {
			if strings.Contains(p, delimiter) && (limit < 0 || i < len(parts)-1) || limit >= 0 && len(parts) > limit+1 {
				t.Fatalf("%q at %q, %d times at most: %q", s, delimiter, limit, parts)
			}
		}
		fields := make([]string, StringSplitMax([]string{s}, "", -1))
		StringSplit(fields, nil, []string{s}, "", -1, len(fields))
		if want := strings.Fields(s); !slices.Equal(fields, want) {
			t.Fatalf("%q: %q, want %q", s, fields, want)
		}
	}
}

// TestRotaryRandom: a pair is a complex number that is multiplied by that of its angle, in each layout; the others stay.
func TestRotaryRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		o := Rotary{Batch: 1 + rng.IntN(3), Seq: 1 + rng.IntN(3), Heads: 1 + rng.IntN(3), HeadsFirst: rng.IntN(2) == 0, Interleaved: rng.IntN(2) == 0, Shared: rng.IntN(2) == 0}
		half := rng.IntN(4)
		o.Rotated = 2 * half
		o.Size = o.Rotated + rng.IntN(3)
		tokens := o.Batch * o.Seq
		rows, angle := tokens+2, func(token int) int { return token }
		var pos []int64
		switch {
		case rng.IntN(2) == 0:
			pos = make([]int64, tokens)
			for i := range pos {
				pos[i] = int64(rng.IntN(rows))
			}
			angle = func(token int) int { return int(pos[token]) }
		case o.Shared:
			angle = func(token int) int { return token % o.Seq }
		}
		x, phase := uniform[float64](rng, tokens*o.Heads*o.Size), uniform[float64](rng, rows*half)
		cos, sin := make([]float64, len(phase)), make([]float64, len(phase))
		for i, p := range phase {
			sin[i], cos[i] = math.Sincos(9 * p)
		}
		want, got := slices.Clone(x), make([]float64, len(x))
		for i := range tokens * o.Heads {
			token := i / o.Heads
			if o.HeadsFirst {
				token = i/o.Seq/o.Heads*o.Seq + i%o.Seq
			}
			for k := range half {
				a, b := i*o.Size+k, i*o.Size+half+k
				if o.Interleaved {
					a, b = i*o.Size+2*k, i*o.Size+2*k+1
				}
				z := complex(x[a], x[b]) * cmplx.Rect(1, 9*phase[angle(token)*half+k])
				want[a], want[b] = real(z), imag(z)
			}
		}
		RotaryEmbedding(got, x, cos, sin, pos, o)
		agree(t, fmt.Sprintf("%+v at %d", o, pos), got, want, 1e-12)
	}
}
