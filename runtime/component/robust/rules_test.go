package robust_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/robust/bulyan"
	"github.com/bbgen/bbgen/runtime/component/robust/geomedian"
	"github.com/bbgen/bbgen/runtime/component/robust/krum"
	"github.com/bbgen/bbgen/runtime/component/robust/median"
	"github.com/bbgen/bbgen/runtime/component/robust/normbound"
	"github.com/bbgen/bbgen/runtime/component/robust/trimmed"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// aggregator is the interface of all rules.
type aggregator interface {
	runtime.Component
	runtime.Gatherer
	runtime.Shaped
	Contribute(context.Context, wire.PeerID, *values.Large[float32], float32) error
	Aggregate(context.Context) (tensor.Dense[float32], error)
}

// rule is an aggregator with a plain implementation.
type rule struct {
	name   string
	create func() aggregator
	plain  func(x [][]float32) []float64 // nil: see TestGeometricMedian
}

// faulty is the number of hostile contributions in the configurations.
const faulty = 2

var rules = []rule{
	{"median", func() aggregator { return &median.Aggregator{} }, byColumn(func(c []float64) float64 { return plainMedian(c) })},
	{"trimmed", func() aggregator { return &trimmed.Aggregator{Faulty: faulty} }, byColumn(func(c []float64) float64 { return mean(c[faulty : len(c)-faulty]) })},
	{"krum", func() aggregator { return &krum.Aggregator{Faulty: faulty} }, func(x [][]float32) []float64 { return plainKrum(x, 1) }},
	{"multikrum", func() aggregator { return &krum.Aggregator{Faulty: faulty, Keep: 4} }, func(x [][]float32) []float64 { return plainKrum(x, 4) }},
	{"bulyan", func() aggregator { return &bulyan.Aggregator{Faulty: faulty} }, plainBulyan},
	{"geomedian", func() aggregator { return &geomedian.Aggregator{} }, nil},
	{"normbound", func() aggregator { return &normbound.Aggregator{} }, func(x [][]float32) []float64 { return plainBound(x, 0) }},
	{"bound of 3", func() aggregator { return &normbound.Aggregator{Max: 3} }, func(x [][]float32) []float64 { return plainBound(x, 3) }},
}

func peer(i int) (id wire.PeerID) {
	id, _ = wire.PeerIDOf([]byte(strings.Repeat(string(rune('a'+i)), 32)))
	return id
}

func vector(x ...float32) *values.Large[float32] { return values.LargeOf(tensor.DenseOf(x, len(x))) }

// contribute makes peers contribute in some order.
func contribute(t *testing.T, a aggregator, x [][]float32, order []int) {
	t.Helper()
	for _, i := range order {
		if err := a.Contribute(t.Context(), peer(i), vector(x[i]...), float32(1+i)); err != nil {
			t.Fatal(err)
		}
	}
}

// honest returns n contributions near the same point.
func honest(r *rand.Rand, n, size int) (x [][]float32) {
	center := make([]float64, size)
	for i := range center {
		center[i] = r.NormFloat64()
	}
	for range n {
		var one []float32
		for _, c := range center {
			one = append(one, float32(c+0.1*r.NormFloat64()))
		}
		x = append(x, one)
	}
	return x
}

// upTo returns 0 to n-1.
func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// Each rule equals its plain implementation, in any order of contributions, and with restarts between them.
func TestPlain(t *testing.T) {
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			a := rule.create()
			for range 40 {
				x := honest(r, 11+r.IntN(5), 1+r.IntN(9))
				contribute(t, a, x, upTo(len(x)))
				first, err := a.Aggregate(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := slices.Clone(first.Data)
				for i := range want {
					if rule.plain != nil && !(math.Abs(float64(want[i])-rule.plain(x)[i]) <= 1e-6) {
						t.Fatalf("%v\nis %v, want %v", x, want, rule.plain(x))
					}
				}
				a = rule.create() // of another shape
				order := r.Perm(len(x))
				contribute(t, a, x, order[:5])
				a = statetest.Restart(t, a, rule.create())
				contribute(t, a, x, order[5:])
				if got, err := a.Aggregate(t.Context()); err != nil || !slices.Equal(got.Data, want) {
					t.Fatalf("in another order it is %v (%v), want %v", got.Data, err, want)
				}
				a = rule.create()
			}
		})
	}
}

// Hostile contributions do not move the result far from the honest ones, although they move the mean
// arbitrarily.
func TestHostile(t *testing.T) {
	for _, rule := range rules {
		if rule.name == "bound of 3" {
			continue // a configured bound limits the effect
		}
		for _, attack := range []float32{-1e3, 1e6, -1e30} {
			r := rand.New(rand.NewPCG(3, 4))
			x := honest(r, 11, 20)
			good := plainMean(x[faulty:])
			for k := range faulty {
				for i := range x[k] {
					x[k][i] = attack * float32(good[i])
				}
			}
			a := rule.create()
			contribute(t, a, x, upTo(len(x)))
			got, err := a.Aggregate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// Two of eleven with the length of the others move a bounded mean by 4/11 of it at most.
			most := 0.4
			if rule.name == "normbound" {
				most = 0.4 * length(good)
			}
			if d := distance(got.Data, good); d > most {
				t.Errorf("%s: %v times the others' moves it by %v, want at most %v", rule.name, attack, d, most)
			}
		}
	}
}

// Contributions that are not finite, have no weight or another shape are refused without effect.
func TestRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, rule := range rules {
		a := rule.create()
		a.Expect([]int{2})
		a.Enter(runtime.Round{})
		for _, c := range []struct {
			x      *values.Large[float32]
			weight float32
			want   string
		}{
			{vector(1, nan), 1, "element 1 is NaN"}, {vector(inf, 1), 1, "element 0 is +Inf"},
			{vector(1), 1, "the shape is [1], want the model's, [2]"},
			{values.LargeOf(tensor.DenseOf([]float32{1, 2}, 1, 2)), 1, "the shape is [1 2]"},
			{vector(1, 2), 0, "the weight is 0"}, {vector(1, 2), nan, "the weight is NaN"}, {vector(1, 2), inf, "the weight is +Inf"},
		} {
			if err := a.Contribute(t.Context(), peer(0), c.x, c.weight); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v; want %s", rule.name, err, c.want)
			}
		}
		if _, err := a.Aggregate(t.Context()); err == nil || !strings.Contains(err.Error(), "no peer") {
			t.Errorf("%s: what was refused is there: %v", rule.name, err)
		}
	}
}

// Too few contributions are an error, instead of a result that one peer determines.
func TestTooFew(t *testing.T) {
	for name, least := range map[string]int{"trimmed": 2*faulty + 1, "krum": 2*faulty + 3, "multikrum": 2*faulty + 3, "bulyan": 4*faulty + 3} {
		for n := 1; n <= least; n++ {
			a := rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == name })].create()
			contribute(t, a, honest(rand.New(rand.NewPCG(1, 2)), n, 3), upTo(n))
			if _, err := a.Aggregate(t.Context()); (err == nil) != (n >= least) {
				t.Errorf("%s of %d: %v", name, n, err)
			}
		}
	}
}

// Overlapping executions have separate contributions, and an ended one has none.
func TestRounds(t *testing.T) {
	one, two := runtime.Round{Module: 1}, runtime.Round{Module: 2}
	a := &median.Aggregator{}
	a.Enter(one)
	contribute(t, a, [][]float32{{1}, {2}, {3}}, upTo(3))
	a.Enter(two)
	contribute(t, a, [][]float32{{100}}, upTo(1))
	a.Leave(two)
	contribute(t, a, [][]float32{{10}}, upTo(1))
	a.Enter(one)
	if x, err := a.Aggregate(t.Context()); err != nil || x.Data[0] != 2 {
		t.Errorf("%v (%v), want 2", x.Data, err)
	}
	a.Enter(two)
	if x, err := a.Aggregate(t.Context()); err != nil || x.Data[0] != 10 {
		t.Errorf("%v (%v), want 10", x.Data, err)
	}
}

// An unknown shape is that of most contributions, and then of all.
func TestShape(t *testing.T) {
	a := &median.Aggregator{}
	contribute(t, a, [][]float32{{100}, {1, 2}, {3, 4}}, upTo(3))
	if x, err := a.Aggregate(t.Context()); err != nil || !slices.Equal(x.Data, []float32{2, 3}) {
		t.Errorf("%v (%v), want 2, 3", x.Data, err)
	}
	if err := statetest.Restart(t, a, &median.Aggregator{}).Contribute(t.Context(), peer(0), vector(1), 1); err == nil {
		t.Error("another shape is accepted after a restart")
	}
}

// lent is a value in shared memory with a reference count.
type lent struct {
	inMemory
	shares int
}

type inMemory = wire.Bytes

func (l *lent) Retain()  { l.shares++ }
func (l *lent) Release() { l.shares-- }

// References to contributions in place are released.
func TestGivesBack(t *testing.T) {
	a := &median.Aggregator{}
	l := &lent{inMemory: tensor.Raw([]float32{7})}
	var here values.Large[float32]
	for _, end := range []func(){func() { a.Aggregate(t.Context()) }, func() { a.Leave(runtime.Round{}) }} {
		if err := values.TakeLarge(&here, &wire.SlotFill{Blob: l, Payload: l.Bytes(), Dims: []uint64{1}}, values.Open); err != nil {
			t.Fatal(err)
		}
		if err := a.Contribute(t.Context(), peer(0), &here, 1); err != nil {
			t.Fatal(err)
		}
		here.Reset()
		if end(); l.shares != 0 {
			t.Errorf("there are %d shares in a contribution", l.shares)
		}
	}
}

// The geometric median of the corners of a convex quadrilateral is the intersection of its diagonals.
func TestGeometricMedian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x, y := 4*r.Float32()-2, 4*r.Float32()-2
		left, right, up, down := 1+r.Float32(), 1+r.Float32(), 1+r.Float32(), 1+r.Float32()
		a := &geomedian.Aggregator{Steps: 1000}
		contribute(t, a, [][]float32{{x - left, y}, {x + right, y}, {x, y + up}, {x, y - down}}, upTo(4))
		if m, err := a.Aggregate(t.Context()); err != nil || distance(m.Data, []float64{float64(x), float64(y)}) > 0.01 {
			t.Errorf("%v (%v), want %v, %v", m.Data, err, x, y)
		}
	}
}

// An invalid configuration is an error before anything runs.
func TestOpen(t *testing.T) {
	for _, a := range []interface{ Open(runtime.Env) error }{
		&trimmed.Aggregator{Faulty: -1}, &krum.Aggregator{Faulty: -1}, &krum.Aggregator{Keep: -1}, &bulyan.Aggregator{Faulty: -1},
		&geomedian.Aggregator{Steps: -1}, &normbound.Aggregator{Max: -1}, &normbound.Aggregator{Max: math.NaN()},
	} {
		if err := a.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

func plainMedian(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// byColumn applies f to each element, with sorted values.
func byColumn(f func([]float64) float64) func([][]float32) []float64 {
	return func(x [][]float32) (out []float64) {
		for i := range x[0] {
			var column []float64
			for _, one := range x {
				column = append(column, float64(one[i]))
			}
			slices.Sort(column)
			out = append(out, f(column))
		}
		return out
	}
}

func plainMean(x [][]float32) []float64 { return byColumn(mean)(x) }

func wide(x []float32) (out []float64) {
	for _, v := range x {
		out = append(out, float64(v))
	}
	return out
}

func distance(x []float32, y []float64) (sum float64) {
	for i := range y {
		sum += (float64(x[i]) - y[i]) * (float64(x[i]) - y[i])
	}
	return math.Sqrt(sum)
}

func length(x []float64) float64 { return distance(make([]float32, len(x)), x) }

// score returns Krum's score of contribution i.
func score(x [][]float32, i int) (sum float64) {
	var near []float64
	for j := range x {
		if j != i {
			d := distance(x[j], wide(x[i]))
			near = append(near, d*d)
		}
	}
	slices.Sort(near)
	for _, d := range near[:min(max(len(x)-faulty-2, 1), len(near))] {
		sum += d
	}
	return sum
}

func plainKrum(x [][]float32, keep int) []float64 {
	order := upTo(len(x))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score(x, i), score(x, j)) })
	var best [][]float32
	for _, i := range order[:keep] {
		best = append(best, x[i])
	}
	return plainMean(best)
}

func plainBulyan(x [][]float32) []float64 {
	n, left := len(x), slices.Clone(x)
	var chosen [][]float32
	for len(chosen) < n-2*faulty {
		best := 0
		for i := range left {
			if score(left, i) < score(left, best) {
				best = i
			}
		}
		chosen, left = append(chosen, left[best]), slices.Delete(left, best, best+1)
	}
	return byColumn(func(c []float64) float64 {
		middle := plainMedian(c)
		slices.SortStableFunc(c, func(a, b float64) int { return cmp.Compare(math.Abs(a-middle), math.Abs(b-middle)) })
		return mean(c[:n-4*faulty])
	})(chosen)
}

func plainBound(x [][]float32, bound float64) []float64 {
	var norms []float64
	for _, one := range x {
		norms = append(norms, length(wide(one)))
	}
	if bound == 0 {
		sorted := slices.Sorted(slices.Values(norms))
		bound = sorted[(len(sorted)-1)/2]
	}
	out := make([]float64, len(x[0]))
	for k, one := range x {
		for i, v := range one {
			out[i] += float64(v) * min(1, bound/norms[k]) / float64(len(x))
		}
	}
	return out
}
