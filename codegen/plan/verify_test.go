package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// TestVerify damages plans of random graphs. A damaged plan that passes the verification must have the right
// results.
func TestVerify(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 50
	}
	noticed := map[string]int{}
	for seed := range n {
		for _, damage := range damages {
			g := randomgraph.New(seed)
			m := g.Module()
			if err := pass.Run(m, pass.Pipeline, nil); err != nil {
				t.Fatal(err)
			}
			p, err := Flat(m.Main, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !damage.do(p, rand.New(rand.NewPCG(seed, 8))) {
				continue
			}
			if p.Verify() != nil {
				noticed[damage.name]++
			} else if err := computes(m.Main, p, g.Inputs()); err != nil {
				t.Errorf("seed %d: %s passes, but %v\n%s", seed, damage.name, err, ir.Print(m))
			}
		}
	}
	for _, d := range damages {
		if noticed[d.name] < int(n)/20 {
			t.Errorf("%s: %d of %d are noticed", d.name, noticed[d.name], n)
		}
	}
}

// computes returns an error if the results of a plan differ from those of the function.
func computes(f *ir.Func, p *Plan, in []tensor.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	want, err := eval.Run(f, in)
	if err != nil {
		return err
	}
	got, err := execute(p, in)
	if err != nil {
		return err
	}
	for i := range want {
		if err := compare.Values(got[i], want[i], compare.Tolerance{}); err != nil {
			return err
		}
	}
	return nil
}

// damages are ways to damage a plan. Each returns false if there is nothing to damage.
var damages = []struct {
	name string
	do   func(p *Plan, rng *rand.Rand) bool
}{
	{"a step that is missing", func(p *Plan, rng *rand.Rand) bool {
		list, i := pick(p, rng, func(s []Step) bool { return tells(s[0]) }, 1)
		if list != nil {
			*list = slices.Delete(slices.Clone(*list), i, i+1)
		}
		return list != nil
	}},
	{"steps in another order", func(p *Plan, rng *rand.Rand) bool {
		list, i := pick(p, rng, func(s []Step) bool { return tells(s[0]) && tells(s[1]) }, 2)
		if list != nil {
			*list = slices.Clone(*list)
			(*list)[i], (*list)[i+1] = (*list)[i+1], (*list)[i]
		}
		return list != nil
	}},
	{"a value in the place of another", func(p *Plan, rng *rand.Rand) bool {
		for _, i := range rng.Perm(len(p.Vars)) {
			x := p.Vars[i]
			for _, k := range rng.Perm(len(p.Vars)) {
				y := p.Vars[k]
				if x.Place == y.Place && (x.Place == Arena || x.Place == Slot && x.Type.Elem == y.Type.Elem) && x.Off != y.Off {
					x.Off = y.Off
					return true
				}
			}
		}
		return false
	}},
}

// tells reports whether a step names the value that it computes. The values that a loop passes from one
// iteration to the next are only checked by their places.
func tells(s Step) bool {
	c, ok := s.(*Call)
	return ok && len(c.Binds) == 0
}

// pick is a list of steps, and the index of some consecutive suitable ones in it.
func pick(p *Plan, rng *rand.Rand, fits func(s []Step) bool, row int) (list *[]Step, at int) {
	type place struct {
		list *[]Step
		at   int
	}
	var all []place
	look := func(l *[]Step) {
		for i := 0; i+row <= len(*l); i++ {
			if fits((*l)[i : i+row]) {
				all = append(all, place{l, i})
			}
		}
	}
	look(&p.Steps)
	each(p.Steps, func(s Step) {
		for _, body := range s.bodies() {
			look(body)
		}
	}, func(Step) {})
	if len(all) == 0 {
		return nil, 0
	}
	x := all[rng.IntN(len(all))]
	return x.list, x.at
}

// Sizes that no step has computed are reported, and so are places outside of the memory.
func TestVerifyPlaces(t *testing.T) {
	m := randomgraph.New(1).Module()
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(p *Plan){
		"arena":  func(p *Plan) { p.Vars[0].Place, p.Vars[0].Len, p.Vars[0].Off = Arena, ir.C(1), p.Arena },
		"buffer": func(p *Plan) { p.Vars[0].Place, p.Vars[0].Off = Slot, 99 },
		"size":   func(p *Plan) { p.Steps = append([]Step{&Bind{[]string{"a"}, []any{ir.Sym("b")}}}, p.Steps...) },
		"place":  func(p *Plan) { p.Vars = nil },
	} {
		p, err := Make(m.Main, nil)
		if err != nil {
			t.Fatal(err)
		}
		damage(p)
		if err := p.Verify(); err == nil {
			t.Errorf("%s: nothing is reported", name)
		}
	}
}
