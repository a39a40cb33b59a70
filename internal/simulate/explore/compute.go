package explore

import "github.com/bbgen/bbgen/runtime/tensor"

// The plain computation: what each step makes of a value. It depends on the lane, the
// round, the peer and the step, so that whatever is mixed up is seen in all that follows.

// worked is what a command makes of a value.
func worked(x tensor.Dense[float64], rank, step int) tensor.Dense[float64] {
	return each(x, func(v float64) float64 { return v/2 + float64(rank*7+step) + x.Data[1]/8 })
}

// fed is a value and what a timer has put into a queue.
func fed(x tensor.Dense[float64]) tensor.Dense[float64] {
	return each(x, func(v float64) float64 { return (v + 3) / 2 })
}

// contribution is what a worker has made of a value.
type contribution struct {
	rank int
	x    []float64
}

// mixed is a value and what workers have made of it, in the order of their ranks.
func mixed(x tensor.Dense[float64], list []contribution) tensor.Dense[float64] {
	out := x.Clone()
	for _, c := range list {
		for i := 2; i < len(out.Data); i++ {
			out.Data[i] = out.Data[i]/2 + c.x[min(i, len(c.x)-1)]
		}
	}
	return out
}

// each changes the elements behind the lane and the round.
func each(x tensor.Dense[float64], f func(float64) float64) tensor.Dense[float64] {
	out := x.Clone()
	for i := 2; i < len(out.Data); i++ {
		out.Data[i] = f(out.Data[i])
	}
	return out
}

// first is what a lane begins with.
func (c *Case) first(lane int) tensor.Dense[float64] {
	x := make([]float64, c.Program.Size)
	for i := range x {
		x[i] = float64(i) + float64(c.Seed%17)
	}
	x[0], x[1] = float64(lane), 0
	return tensor.DenseOf(x, len(x))
}

// want is what a round makes of a value if so many took part in each question.
func (c *Case) want(x tensor.Dense[float64], masks []float64) tensor.Dense[float64] {
	asks := 0
	for k, s := range c.Program.Steps {
		switch s.Kind {
		case Ask, Few:
			if asks < len(masks) {
				x = c.wantAsked(x, s, uint64(masks[asks]))
			}
			asks++
		case Visit, Far:
			x = wantSteps(x, s.Sub, 0)
		default:
			x = wantStep(x, s.Kind, 0, k)
		}
	}
	return x
}

func (c *Case) wantAsked(x tensor.Dense[float64], s Step, mask uint64) tensor.Dense[float64] {
	var list []contribution
	for rank := range c.Program.Workers {
		if mask>>rank&1 != 0 && !c.isInsider(c.worker(rank)) {
			list = append(list, contribution{rank, wantSteps(x, s.Sub, rank).Data})
		}
	}
	return mixed(x, list)
}

func wantSteps(x tensor.Dense[float64], list []Step, rank int) tensor.Dense[float64] {
	for k, s := range list {
		x = wantStep(x, s.Kind, rank, k)
	}
	return x
}

func wantStep(x tensor.Dense[float64], kind Kind, rank, k int) tensor.Dense[float64] {
	switch kind {
	case Work, Other, Either:
		return worked(x, rank, k)
	case Feed:
		return fed(x)
	}
	return x
}
