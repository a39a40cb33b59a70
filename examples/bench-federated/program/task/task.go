// Package task contains the learning tasks of example bench-federated: the quadratic functions of SCAFFOLD's
// paper, the generated data of FedProx's, and rendered digits.
package task

import (
	"fmt"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
)

// Config selects a task and its difficulty.
type Config struct {
	Name    string  // quadratic, synthetic or digits
	Clients int     // of the federation
	Skew    float64 // G of the quadratic functions, α and β of the generated data, α of the Dirichlet distribution of labels
}

// Task is the learning task of a client.
type Task interface {
	Size() int    // of the model
	Samples() int // of the client

	// Gradient computes the gradient of the client's loss, on a batch drawn with r, into dst.
	Gradient(dst, model []float32, r *rand.Rand)
}

// Judge evaluates a model for all clients together. It returns the loss, and the fraction of test examples
// that are correct.
type Judge interface {
	Size() int
	Judge(model []float32) (loss, accuracy float64)
}

// Local holds the parameters of local training.
type Local struct {
	Rate   float64
	Steps  int     // of a round
	Epochs int     // of a round, in place of Steps
	First  float32 // initial value of each element of the model
}

// StepsFor returns the number of steps of a round for a client with some examples.
func (l Local) StepsFor(samples int) int {
	if l.Epochs == 0 {
		return l.Steps
	}
	return l.Epochs * ((samples + batch - 1) / batch)
}

// Local returns the parameters of local training for a task.
func (c Config) Local() Local {
	switch c.Name {
	case "quadratic":
		return Local{Rate: 0.05, Steps: 10, First: 1}
	case "synthetic":
		return Local{Rate: 0.01, Epochs: 20}
	}
	return Local{Rate: 0.2, Steps: 10}
}

// Of returns the task of a client. The environment has its rank and its data.
func (c Config) Of(env runtime.Env) (Task, error) {
	switch c.Name {
	case "quadratic":
		return quadratic{g: c.Skew, first: env.Rank == 0}, nil
	case "synthetic":
		return newSynthetic(env.Seed, c.Skew, env.Rank), nil
	case "digits":
		return newDigits(env, c)
	}
	return nil, fmt.Errorf("there is no task %q, want quadratic, synthetic or digits", c.Name)
}

// Judge returns the evaluator of the task.
func (c Config) Judge(env runtime.Env) (Judge, error) {
	switch c.Name {
	case "quadratic":
		return quadratic{}, nil
	case "synthetic":
		all := newSynthetic(env.Seed, c.Skew, 0)
		for k := 1; k < c.Clients; k++ {
			all.add(newSynthetic(env.Seed, c.Skew, k).examples)
		}
		return all, nil
	case "digits":
		return newTests(env)
	}
	return nil, fmt.Errorf("there is no task %q", c.Name)
}
