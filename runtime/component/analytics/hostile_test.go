package analytics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// bounded are bounds of bins that are hard to divide.
var bounded = [][2]float32{
	{0, 1}, {-1, 1}, {0, math.SmallestNonzeroFloat32}, {1, 1 + 0x1p-23}, {-math.MaxFloat32, math.MaxFloat32}, {math.MaxFloat32 / 2, math.MaxFloat32},
	{-0x1p-126, 0x1p-126}, {1e30, 1e30 * (1 + 0x1p-22)}, {float32(math.Copysign(0, -1)), 7},
}

// TestBinsHoldTheirValues: each value is in exactly one bin, which has its lower bound and lacks its upper one, also where the numbers of
// float32 are fewer than the bins, and the bounds increase.
func TestBinsHoldTheirValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, limits := range bounded {
		for _, n := range []int{1, 2, 3, 10, 1000, maxBins} {
			b := bins{limits[0], limits[1], n}
			if b.edge(0) != b.low || b.edge(n) != b.high {
				t.Fatalf("%d bins of %v are from %v to %v", n, limits, b.edge(0), b.edge(n))
			}
			for i := range n {
				if b.edge(i) > b.edge(i+1) {
					t.Fatalf("%d bins of %v: bound %d is %v, and the next one %v", n, limits, i, b.edge(i), b.edge(i+1))
				}
			}
			for k := range 200 {
				v := float32(float64(b.low) + r.Float64()*(float64(b.high)-float64(b.low)))
				switch k {
				case 0, 1, 2, 3:
					v = []float32{b.low, b.high, math.Nextafter32(b.low, float32(math.Inf(-1))), math.Nextafter32(b.high, b.low)}[k]
				case 4, 5, 6, 7:
					v = b.edge(r.IntN(n + 1))
				}
				i := b.of(v)
				low, high := float32(math.Inf(-1)), float32(math.Inf(1))
				if i > 0 {
					low = b.edge(i - 1)
				}
				if i <= n {
					high = b.edge(i)
				}
				if i == 0 {
					high = b.low
				}
				if v < low || v >= high && !math.IsInf(float64(v), 1) {
					t.Fatalf("%v of %d bins of %v is in %d, from %v to %v", v, n, limits, i, low, high)
				}
			}
		}
	}
}

// TestNarrowBins: counting does not take longer where no number is between the bounds, as when a quantile has been found exactly.
func TestNarrowBins(t *testing.T) {
	h := &Histogram{Bins: maxBins}
	x := make([]float32, 200_000)
	for i := range x {
		x[i] = 1
	}
	got, err := h.Count(floats(x...), floats(1, math.Nextafter32(1, 2)))
	if err != nil || slices.Max(got.Data) != int32(len(x)) {
		t.Errorf("%d of %d equal values are in one bin (%v)", slices.Max(got.Data), len(x), err)
	}
}

// TestQuantileConverges: rounds of counting and narrowing find the value of a rank exactly, whatever the values are.
func TestQuantileConverges(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		n := 1 + r.IntN(40)
		x := make([]float32, n)
		for i := range x {
			switch r.IntN(4) {
			case 0:
				x[i] = float32(r.IntN(5))
			case 1:
				x[i] = math.Float32frombits(r.Uint32())
				if x[i]-x[i] != 0 {
					x[i] = math.MaxFloat32
				}
			default:
				x[i] = float32(r.NormFloat64() * 1000)
			}
		}
		q, h := &Quantile{At: []float64{1e-9, 0.25, 0.5, 0.9, 1 - 0x1p-53}[r.IntN(5)]}, &Histogram{Bins: 1 + r.IntN(50)}
		bounds := floats(0, 1)
		var at float32
		for range 400 {
			c, err := h.Count(floats(x...), bounds)
			if err != nil {
				t.Fatal(err)
			}
			if at, err = q.Of(bounds, c); err != nil {
				t.Fatal(err)
			}
			if bounds, err = q.Narrow(bounds, c); err != nil {
				t.Fatal(err)
			}
			if !(bounds.Data[0] < bounds.Data[1]) {
				t.Fatalf("bounds %v", bounds.Data)
			}
		}
		if h.Bins == 1 {
			continue // one bin does not become smaller
		}
		sorted := slices.Sorted(slices.Values(x))
		rank := new(big.Float).Mul(big.NewFloat(q.At), big.NewFloat(float64(n)))
		k, accuracy := rank.Int64()
		if accuracy == big.Below {
			k++
		}
		want := sorted[max(k, 1)-1]
		if math.Abs(float64(at)-float64(want)) > math.Abs(float64(want))*0x1p-22+math.SmallestNonzeroFloat32 {
			t.Errorf("the quantile %v of %v is %v, want %v", q.At, sorted, at, want)
		}
	}
}

// TestHostileCounts: counts that no peer has are refused or give an error, never a panic, and the bounds stay usable.
func TestHostileCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	extremes := []int32{0, 1, -1, math.MaxInt32, math.MinInt32, 7}
	q := &Quantile{At: 0.5}
	for range 20_000 {
		c := make([]int32, r.IntN(6))
		for i := range c {
			c[i] = extremes[r.IntN(len(extremes))]
		}
		bounds := bounded[r.IntN(len(bounded))]
		v, err := q.Of(floats(bounds[:]...), counts(c...))
		if err == nil && !(v >= bounds[0] && v <= bounds[1]) {
			t.Fatalf("the quantile of %v between %v is %v", c, bounds, v)
		}
		next, err := q.Narrow(floats(bounds[:]...), counts(c...))
		if _, bad := binsOf(next, 1); err == nil && bad != nil {
			t.Fatalf("counts %v between %v lead to %v", c, bounds, next.Data)
		}
	}
}

// TestSumIsExact: sums are those of big numbers, or a contribution is refused and changes nothing; and a restart in between too.
func TestSumIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		s := &Sum{Most: int32(r.IntN(2) * math.MaxInt32)}
		n := 1 + r.IntN(4)
		want := make([]*big.Int, n)
		for i := range want {
			want[i] = new(big.Int)
		}
		taken := 0
		for range 1 + r.IntN(6) {
			x := make([]int32, n)
			for i := range x {
				x[i] = []int32{0, 1, math.MaxInt32, math.MaxInt32 / 2, math.MaxInt32 - 1, -1}[r.IntN(6)]
			}
			ok, total := !slices.ContainsFunc(x, func(v int32) bool { return v < 0 }), int64(0)
			for i, v := range x {
				total += int64(v)
				ok = ok && (taken == 0 || new(big.Int).Add(want[i], big.NewInt(int64(v))).Cmp(big.NewInt(math.MaxInt32)) <= 0)
			}
			ok = ok && (s.Most == 0 || total <= int64(s.Most))
			err := s.Contribute(wire.PeerID{}, counts(x...), 1)
			if ok != (err == nil) {
				t.Fatalf("%v after %v: %v", x, want, err)
			}
			if !ok {
				continue
			}
			taken++
			for i, v := range x {
				want[i].Add(want[i], big.NewInt(int64(v)))
			}
			clear(x) // the memory is the caller's
			s = statetest.Restart(t, s, &Sum{Most: s.Most})
		}
		got, err := s.Aggregate()
		if (err == nil) != (taken > 0) {
			t.Fatalf("%d contributions: %v", taken, err)
		}
		for i, v := range got.Data {
			if want[i].Int64() != int64(v) {
				t.Fatalf("sum %d is %d, want %v", i, v, want[i])
			}
		}
	}
}

// someWords are the words of a peer.
type someWords []string

func (w someWords) Words() []string { return w }

// TestHittersAreFrequent: the words that are found are exactly those that occur often enough and are short enough, with their numbers, also where words
// are prefixes of others or have any bytes but 0.
func TestHittersAreFrequent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		var all []string
		often := map[string]int32{}
		for range r.IntN(60) {
			w := strings.Repeat([]string{"a", "ab", "\xff", "\x01\x10", "ä"}[r.IntN(5)], 1+r.IntN(3))
			if r.IntN(20) == 0 {
				w = strings.Repeat("x", 120+r.IntN(10))
			}
			all, often[w] = append(all, w), often[w]+1
		}
		h, v := &Hitters{Least: 1 + int32(r.IntN(4))}, &Voter{Words: someWords(all)}
		asked, err := h.First()
		if err != nil {
			t.Fatal(err)
		}
		var votes tensor.Dense[int32]
		for rounds := 0; ; rounds++ {
			if votes, err = v.Votes(asked); err != nil {
				t.Fatal(err)
			}
			next, done, err := h.Grow(asked, votes)
			if err != nil {
				t.Fatal(err)
			}
			if asked = next; done {
				break
			}
			if rounds > longest {
				t.Fatal("it does not end")
			}
		}
		if votes, err = v.Votes(asked); err != nil {
			t.Fatal(err)
		}
		words, n, err := h.Found(asked, votes)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int32{}
		for i, w := range words.Data {
			found[w] = n.Data[i]
		}
		for w, n := range often {
			if want := n >= h.Least && 2*len(w)+2 <= longest; want != (found[w] == n) || !want && found[w] != 0 {
				t.Fatalf("%q occurs %d times of at least %d, and is found %d times", w, n, h.Least, found[w])
			}
		}
		if len(found) != len(words.Data) || slices.ContainsFunc(words.Data, func(w string) bool { return often[w] == 0 }) {
			t.Fatalf("found %q in %q", words.Data, all)
		}
	}
}

// FuzzPrefixes reads arbitrary lists of prefixes: one that is accepted can be voted on and grown.
func FuzzPrefixes(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 6, 2, 6, 1})
	f.Add([]byte{4, 6, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, h := &Voter{Words: someWords{"a", "ab", "\xff"}}, &Hitters{Least: 1}
		votes, err := v.Votes(vector(b))
		if err != nil {
			return
		}
		next, _, err := h.Grow(vector(b), votes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readPrefixes(next.Data); err != nil {
			t.Fatalf("the next prefixes are %x: %v", next.Data, err)
		}
		if _, _, err := h.Found(vector(b), votes); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLimits: configurations at their limits are taken, and those beyond are refused.
func TestLimits(t *testing.T) {
	type opener interface{ Open(runtime.Env) error }
	for _, c := range []struct {
		opener
		ok bool
	}{
		{&Histogram{Bins: 1}, true}, {&Histogram{Bins: maxBins}, true}, {&Histogram{}, false}, {&Histogram{Bins: maxBins + 1}, false}, {&Histogram{Bins: -1}, false},
		{&Quantile{At: math.SmallestNonzeroFloat64}, true}, {&Quantile{At: 1}, false}, {&Quantile{}, false}, {&Quantile{At: math.NaN()}, false}, {&Quantile{At: -0.5}, false},
		{&Hitters{Least: 1}, true}, {&Hitters{Least: 1, Most: maxPrefixes}, true}, {&Hitters{}, false}, {&Hitters{Least: 1, Most: -1}, false}, {&Hitters{Least: 1, Most: maxPrefixes + 1}, false},
		{&Sum{Most: math.MaxInt32}, true}, {&Sum{Most: -1}, false},
	} {
		if err := c.Open(runtime.Env{}); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.opener, err)
		}
	}
}
