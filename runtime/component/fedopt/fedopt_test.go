package fedopt

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// optimizer is the interface of all optimizers.
type optimizer interface {
	runtime.Component
	Open(runtime.Env) error
	Step(model, mean tensor.Dense[float32]) (tensor.Dense[float32], error)
}

// optimizers lists all optimizers, with their formulas for one element: an unused second moment remains 0.
var optimizers = []struct {
	name   string
	create func() optimizer
	begin  float64 // of v
	plain  func(x, delta, m, v float64) (xNext, mNext, vNext float64)
}{
	{"momentum", func() optimizer { return &Momentum{} }, 0, func(x, d, m, v float64) (float64, float64, float64) {
		m = 0.9*m + d
		return x + m, m, v
	}},
	{"nesterov", func() optimizer { return &Nesterov{} }, 0, func(x, d, m, v float64) (float64, float64, float64) {
		m = 0.9*m + d
		return x + 0.7*(d+0.9*m), m, v
	}},
	{"adagrad", func() optimizer { return &Adagrad{Rate: 0.2} }, 1e-6, func(x, d, _, v float64) (float64, float64, float64) {
		v += d * d
		return x + 0.2*d/(math.Sqrt(v)+1e-3), d, v
	}},
	{"adam", func() optimizer { return &Adam{Tau: 0.01} }, 1e-4, func(x, d, m, v float64) (float64, float64, float64) {
		m, v = 0.9*m+0.1*d, 0.99*v+0.01*d*d
		return x + 0.1*m/(math.Sqrt(v)+0.01), m, v
	}},
	{"yogi", func() optimizer { return &Yogi{Beta1: 0.8, Beta2: 0.95} }, 1e-6, func(x, d, m, v float64) (float64, float64, float64) {
		m = 0.8*m + 0.2*d
		if s := v - d*d; s > 0 {
			v -= 0.05 * d * d
		} else if s < 0 {
			v += 0.05 * d * d
		}
		return x + 0.1*m/(math.Sqrt(v)+1e-3), m, v
	}},
}

func vector(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

// Each optimizer follows its formula over many rounds, with restarts.
func TestFormulas(t *testing.T) {
	for _, o := range optimizers {
		t.Run(o.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			got, x := o.create(), []float32{1, -2, 0.5}
			m, v := make([]float64, 3), []float64{o.begin, o.begin, o.begin}
			for round := range 30 {
				mean, want := make([]float32, 3), make([]float64, 3)
				for i := range x {
					mean[i] = x[i] + float32(r.NormFloat64())*0.1
					want[i], m[i], v[i] = o.plain(float64(x[i]), float64(mean[i])-float64(x[i]), m[i], v[i])
				}
				next, err := got.Step(vector(x...), vector(mean...))
				if err != nil {
					t.Fatal(err)
				}
				for i := range want {
					if !(math.Abs(want[i]-float64(next.Data[i])) <= 1e-5) {
						t.Fatalf("round %d: %v, want %v", round, next.Data, want)
					}
				}
				x = slices.Clone(next.Data)
				got = statetest.Restart(t, got, o.create())
			}
		})
	}
}

// A step that leads to what is not finite is refused, and has no effect on the state: neither the first nor a later one.
func TestNotFinite(t *testing.T) {
	model := vector(1, 2, 3)
	for _, o := range optimizers {
		got := o.create()
		for range 2 {
			before, err := got.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, last := range []float64{math.Inf(1), math.NaN(), math.MaxFloat32} {
				model.Data[2] = 3
				if last == math.MaxFloat32 {
					model.Data[2] = -math.MaxFloat32
				}
				if _, err := got.Step(model, vector(5, -7, float32(last))); err == nil || !strings.Contains(err.Error(), "not finite") {
					t.Errorf("%s: to %v: %v", o.name, last, err)
				}
				if after, err := got.AppendBinary(nil); err != nil || !bytes.Equal(after, before) {
					t.Errorf("%s: a step to %v leaves the state %x, want %x", o.name, last, after, before)
				}
			}
			if _, err := got.Step(vector(1, 2, 3), vector(1.5, 2.5, 2)); err != nil {
				t.Fatalf("%s: %v", o.name, err)
			}
		}
	}
}

// Configurations that cannot make a step are errors that tell what is valid.
func TestRefuses(t *testing.T) {
	for _, o := range optimizers {
		got := o.create()
		if err := got.Open(runtime.Env{}); err != nil {
			t.Errorf("%s: %v", o.name, err)
		}
		if _, err := got.Step(vector(1, 2), vector(1)); err == nil || !strings.Contains(err.Error(), "want the model's, [2]") {
			t.Errorf("%s: %v", o.name, err)
		}
		got = o.create()
		if _, err := got.Step(vector(1, 2), vector(1, 3)); err != nil {
			t.Errorf("%s: %v", o.name, err)
		}
		if _, err := got.Step(vector(1), vector(1)); err == nil || !strings.Contains(err.Error(), "earlier rounds") {
			t.Errorf("%s: %v", o.name, err)
		}
	}
	for _, o := range []optimizer{&Momentum{Beta: 1}, &Nesterov{Rate: -1}, &Adagrad{Tau: -1}, &Adam{Beta2: math.NaN()}, &Yogi{Rate: math.Inf(1)}} {
		if err := o.Open(runtime.Env{}); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
