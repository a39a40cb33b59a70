package client

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
)

// attack returns the vector that a hostile client sends instead of its change.
func (c *Client) attack(model vector, round, steps int64) (vector, error) {
	switch c.Attack {
	case "labels": // trained with wrong labels
		y, err := c.learnFlipped(model, round, steps)
		return difference(y, model), err
	case "sign": // the opposite, multiplied by four: two of eleven clients outweigh nearly all others
		y, err := c.learn(model, zeros(model), round, steps)
		out := difference(y, model)
		for i := range out.Data {
			out.Data[i] *= -4
		}
		return out, err
	case "little":
		return c.little(model, round)
	}
	return model, fmt.Errorf("there is no attack %q, want labels, sign or little", c.Attack)
}

// flipped is a task with reversed labels.
type flipped struct{ task.Task }

// Gradient computes the gradient for a model with reversed classes.
func (f flipped) Gradient(dst, model []float32, r *rand.Rand) {
	const classes = 10
	reverse := func(x []float32) (out []float32) {
		n := len(x) / classes
		for k := range classes {
			out = append(out, x[(classes-1-k)*n:(classes-k)*n]...)
		}
		return out
	}
	f.Task.Gradient(dst, reverse(model), r)
	copy(dst, reverse(dst))
}

// learnFlipped trains with reversed labels.
func (c *Client) learnFlipped(model vector, round, steps int64) (vector, error) {
	own := c.task
	defer func() { c.task = own }()
	c.task = flipped{own}
	return c.learn(model, zeros(model), round, steps)
}

// deviations is the distance, in standard deviations, between the mean and the changes of the attack little.
const deviations = 1.5

// little implements G. Baruch, M. Baruch and Y. Goldberg, "A Little Is Enough: Circumventing Defenses For
// Distributed Learning", 2019: the mean of the honest clients' changes, minus a few of their standard
// deviations. The attacker knows these changes.
func (c *Client) little(model vector, round int64) (vector, error) {
	sum, squares := make([]float64, len(model.Data)), make([]float64, len(model.Data))
	n := float64(c.Task.Clients - c.Hostile)
	for rank := c.Hostile; rank < c.Task.Clients; rank++ {
		env := c.env
		env.Rank = rank
		honest := Client{Task: c.Task}
		if err := honest.Open(env); err != nil {
			return model, err
		}
		steps, _ := honest.steps(round) // its own: with more examples a client takes more
		y, err := honest.learn(model, zeros(model), round, steps)
		if err != nil {
			return model, err
		}
		for i, v := range difference(y, model).Data {
			sum[i] += float64(v)
			squares[i] += float64(v) * float64(v)
		}
	}
	out := zeros(model)
	for i := range out.Data {
		mean := sum[i] / n
		out.Data[i] = float32(mean - deviations*math.Sqrt(max(squares[i]/n-mean*mean, 0)))
	}
	return out, nil
}
