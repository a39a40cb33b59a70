// Package client contains the client of example bench-federated. Its strategy is selected by name at the
// start. A program with one strategy would bind that component instead.
package client

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Client is the component of a client.
type Client struct {
	Task       task.Config
	Strategy   string  // fedprox, scaffold, feddyn or fednova; any other: plain gradient descent
	Mu, Alpha  float64 // parameters of FedProx and of FedDyn
	PerRound   int     // number of clients that take part in a round, drawn at random; 0: all
	Stragglers float64 // fraction of these without time for all steps in the round
	Drop       bool    // the server leaves stragglers out
	Attack     string  // by hostile clients: labels, sign or little; "": none
	Hostile    int     // number of hostile clients, which are the first

	task     task.Task
	local    task.Local
	env      runtime.Env
	prox     drift.Prox
	scaffold drift.Scaffold
	dyn      drift.Dyn
	nova     drift.Nova
}

// vector is a model or its change.
type vector = tensor.Dense[float32]

// Open prepares the client for training.
func (c *Client) Open(env runtime.Env) (err error) {
	c.env, c.local = env, c.Task.Local()
	c.prox.Mu, c.dyn.Alpha, c.scaffold.Rate = c.Mu, c.Alpha, c.local.Rate
	c.task, err = c.Task.Of(env)
	return err
}

// Train runs the steps of a round. It returns the changes of the model and of the control variate, the weight
// of the change, and the number of steps.
func (c *Client) Train(_ context.Context, model, control vector, round int64) (change, moved vector, weight float32, steps vector, err error) {
	n, weight := c.steps(round)
	if n == 0 {
		return zeros(model), zeros(model), weight, scalar(0), nil
	}
	if c.env.Rank < c.Hostile && c.Attack != "" {
		change, err = c.attack(model, round, n)
		return change, zeros(model), weight, scalar(n), err
	}
	y, err := c.learn(model, control, round, n)
	if err != nil {
		return change, control, 0, steps, err
	}
	change, moved = difference(y, model), zeros(model)
	switch c.Strategy {
	case "scaffold":
		moved, err = c.scaffold.Renew(model, y, control, n)
	case "feddyn":
		_, err = c.dyn.Renew(model, y)
	case "fednova":
		change, err = c.nova.Normalized(model, y, n)
	}
	return change, moved, weight, scalar(n), err
}

// negligible is the factor of the weight of a client that does not count, as weights are more than 0.
const negligible = 1e-12

// steps returns the number of steps that the client takes in a round, and the weight of its change. All clients draw the same
// order of all: the first ones take part, and those at the beginning have no time for all steps.
func (c *Client) steps(round int64) (n int64, weight float32) {
	n, weight = int64(c.local.StepsFor(c.task.Samples())), float32(c.task.Samples())
	place := rand.New(rand.NewPCG(c.env.Seed, uint64(round))).Perm(c.Task.Clients)[c.env.Rank]
	all := cmp.Or(c.PerRound, c.Task.Clients)
	switch late := int(c.Stragglers * float64(all)); {
	case place >= all:
		return 0, weight * negligible
	case place >= late:
		return n, weight
	case c.Drop:
		weight *= negligible
	}
	return 1 + rand.New(rand.NewPCG(c.env.Seed+uint64(c.env.Rank), uint64(round))).Int64N(n), weight
}

// learn trains a model for the given number of steps.
func (c *Client) learn(model, control vector, round, steps int64) (vector, error) {
	y, gradient := model.Clone(), zeros(model)
	r := rand.New(rand.NewPCG(runtime.SeedOf(c.env.Seed, c.env.Class, c.env.Rank), uint64(round)))
	for range steps {
		c.task.Gradient(gradient.Data, y.Data, r)
		d, err := c.correct(gradient, y, model, control)
		if err != nil {
			return y, err
		}
		for i, v := range d.Data {
			y.Data[i] -= float32(c.local.Rate * float64(v))
		}
	}
	return y, nil
}

// correct returns the gradient with the strategy's correction.
func (c *Client) correct(gradient, y, model, control vector) (vector, error) {
	switch c.Strategy {
	case "fedprox":
		return c.prox.Correct(gradient, y, model)
	case "scaffold":
		return c.scaffold.Correct(gradient, control)
	case "feddyn":
		return c.dyn.Correct(gradient, y, model)
	}
	return gradient, nil
}

// difference returns x-y.
func difference(x, y vector) vector {
	out := x.Clone()
	for i, v := range y.Data {
		out.Data[i] -= v
	}
	return out
}

func zeros(like vector) vector {
	return tensor.DenseOf(make([]float32, len(like.Data)), like.Shape...)
}

func scalar(n int64) vector { return tensor.DenseOf([]float32{float32(n)}, 1) }

// memory returns the component with the strategy's state, or one without state.
func (c *Client) memory() runtime.Component {
	if c.Strategy == "feddyn" {
		return &c.dyn
	}
	return &c.scaffold
}

// AppendBinary appends the state of the strategy.
func (c *Client) AppendBinary(b []byte) ([]byte, error) { return c.memory().AppendBinary(b) }

// UnmarshalBinary restores the state written by AppendBinary.
func (c *Client) UnmarshalBinary(b []byte) error { return c.memory().UnmarshalBinary(b) }
