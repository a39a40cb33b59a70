package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// contents is a memory by definition: the values of variables, each looked through for each write.
type contents map[*Var]*ir.Value

func (c contents) resize(x *Var) {
	for y := range c {
		if y == x || overlap(x, y) {
			delete(c, y)
		}
	}
}

// TestMemory writes to variables that overlap, and in branches in branches. Afterwards the variables have the content that
// they have by definition.
func TestMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		var vars []*Var
		for i := range 12 {
			x := &Var{Place: []Place{Arena, Arena, Slot, Own}[rng.IntN(4)], Type: ir.TensorOf(tensor.Float32)}
			if x.Place == Slot {
				x.Off = rng.IntN(3)
				x.Type.Elem = []tensor.DType{tensor.Float32, tensor.Int64}[i%2]
			}
			if x.Place == Arena {
				x.Len = ir.C(16 * rng.IntN(4)) // blocks of 64 bytes
				if n, _ := x.Len.Const(); n > 0 {
					x.Off = 64 * rng.IntN(8)
				}
			}
			vars = append(vars, x)
		}
		m := newMemory(nil)
		if err := play(rng, m, contents{}, vars, 3); err != nil {
			t.Fatal(err)
		}
		if m.undo != nil || m.ifs != 0 {
			t.Fatalf("%d changes of %d branches remain", len(m.undo), m.ifs)
		}
	}
}

// play does the same to both memories. They must then have the same content.
func play(rng *rand.Rand, m *memory, want contents, vars []*Var, depth int) error {
	for range rng.IntN(12) {
		x := vars[rng.IntN(len(vars))]
		switch k := rng.IntN(6); {
		case k == 0 && depth > 0:
			then := contents{}
			for x, v := range want {
				then[x] = v
			}
			err := m.either(
				func() error { return play(rng, m, then, vars, depth-1) },
				func() error { return play(rng, m, want, vars, depth-1) })
			if err != nil {
				return err
			}
			for x, v := range want {
				if w, ok := then[x]; !ok {
					delete(want, x)
				} else if v != w {
					want[x] = nil
				}
			}
		case k == 1:
			m.resize(x)
			want.resize(x)
		default:
			v := &ir.Value{Name: "v"}
			m.write(x, v)
			want.resize(x)
			want[x] = v
		}
		for i, x := range vars {
			v, ok := want[x]
			if got, had := m.held[x]; got != v || had != ok {
				return fmt.Errorf("variable %d has %v, %v, want %v, %v", i, got, had, v, ok)
			}
		}
	}
	return nil
}
