package client

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
)

// attack is what a hostile client sends in place of its change.
func (c *Client) attack(model vector, round, steps int64) (vector, error) {
	switch c.Attack {
	case "labels": // learned with other labels
		y, err := c.learnFlipped(model, round, steps)
		return difference(y, model), err
	case "sign": // the opposite, four times as far: two of eleven outweigh nearly all others
		y, err := c.learn(model, zeros(model), round, steps)
		out := difference(y, model)
		for i := range out.Data {
			out.Data[i] *= -4
		}
		return out, err
	case "little":
		return c.little(model, round, steps)
	}
	return model, fmt.Errorf("there is no attack %q, want labels, sign or little", c.Attack)
}

// flipped is a task with the labels in reverse.
type flipped struct{ task.Task }

// Gradient is that of a model whose classes are in reverse.
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

// learnFlipped learns that each label is the one at the other end.
func (c *Client) learnFlipped(model vector, round, steps int64) (vector, error) {
	own := c.task
	defer func() { c.task = own }()
	c.task = flipped{own}
	return c.learn(model, zeros(model), round, steps)
}

// deviations is how far from the mean the changes are that the attack little sends.
const deviations = 1.5

// little returns G. Baruch, M. Baruch and Y. Goldberg, "A Little Is Enough: Circumventing Defenses
// For Distributed Learning", 2019: the mean of what the honest clients send, less some of
// their standard deviations. The attacker knows what they send.
func (c *Client) little(model vector, round, steps int64) (vector, error) {
	sum, squares := make([]float64, len(model.Data)), make([]float64, len(model.Data))
	n := float64(c.Task.Clients - c.Hostile)
	for rank := c.Hostile; rank < c.Task.Clients; rank++ {
		env := c.env
		env.Rank = rank
		honest := Client{Task: c.Task}
		if err := honest.Open(env); err != nil {
			return model, err
		}
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
