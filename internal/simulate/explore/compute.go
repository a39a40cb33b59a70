package explore

import "github.com/bbgen/bbgen/runtime/tensor"

// The plain computation of each step. Its result depends on the lane, the round, the peer and the step, so that
// mixed-up values affect all later ones.

// worked returns the result of a command.
func worked(x tensor.Dense[float64], rank, step int) tensor.Dense[float64] {
	return each(x, func(v float64) float64 { return v/2 + float64(rank*7+step) + x.Data[1]/8 })
}

// fed combines a value with a value that a timer has put into a queue.
func fed(x tensor.Dense[float64]) tensor.Dense[float64] {
	return each(x, func(v float64) float64 { return (v + 3) / 2 })
}

// contribution is a worker's result.
type contribution struct {
	rank int
	x    []float64
}

// mixed combines a value with the results of workers, in the order of their ranks.
func mixed(x tensor.Dense[float64], list []contribution) tensor.Dense[float64] {
	out := x.Clone()
	for _, c := range list {
		for i := 2; i < len(out.Data); i++ {
			out.Data[i] = out.Data[i]/2 + c.x[min(i, len(c.x)-1)]
		}
	}
	return out
}

// each changes the elements after the lane and the round.
func each(x tensor.Dense[float64], f func(float64) float64) tensor.Dense[float64] {
	out := x.Clone()
	for i := 2; i < len(out.Data); i++ {
		out.Data[i] = f(out.Data[i])
	}
	return out
}

// first returns the initial value of a lane.
func (c *Case) first(lane int) tensor.Dense[float64] {
	x := make([]float64, c.Program.Size)
	for i := range x {
		x[i] = float64(i) + float64(c.Seed%17)
	}
	x[0], x[1] = float64(lane), 0
	return tensor.DenseOf(x, len(x))
}

// want returns the result of a round for the given participants of each question.
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
