package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// orders are the orders in which variables are placed in the arena: by decreasing size, or by decreasing
// lifetime. The order with the smallest arena is used.
var orders = []func(x, y *Var) int{
	func(x, y *Var) int { return cmp.Compare(y.bytes(), x.bytes()) },
	func(x, y *Var) int { return cmp.Compare(y.age(), x.age()) },
}

// age returns the number of steps from the beginning to the end of x's life.
func (x *Var) age() int { return x.to() - x.from() + 1 }

// arena places the variables of fixed size.
func (p *Plan) arena(vars []*Var, last int) error {
	for _, x := range vars {
		if n := x.bytes(); n < 0 || n > maxArena {
			return unsupportedSize(x)
		}
	}
	var best []int // offsets, in the order of vars
	for _, order := range orders {
		size := fill(vars, order, last)
		if best != nil && size >= p.Arena {
			continue
		}
		p.Arena, best = size, nil
		for _, x := range vars {
			best = append(best, x.Off)
		}
	}
	for i, x := range vars {
		x.Off = best[i]
	}
	if p.Arena > maxArena {
		return unsupportedArena(p.Arena)
	}
	return nil
}

// fill places the variables in the given order, each at the lowest offset that is free during its life. It
// returns the total size.
func fill(vars []*Var, order func(x, y *Var) int, last int) (size int) {
	s := newSpace(last)
	for _, x := range slices.SortedStableFunc(slices.Values(vars), order) {
		x.Off = s.place(x, x.bytes())
		size = max(size, x.Off+x.bytes())
	}
	return size
}

func unsupportedSize(x *Var) error {
	return fmt.Errorf("value %q (%s) is larger than %d bytes", x.Value.Name, x.Type, maxArena)
}

func unsupportedArena(n int) error {
	return fmt.Errorf("values that live at the same time take %d bytes, at most %d are supported", n, maxArena)
}
