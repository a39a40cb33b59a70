// Package task has what the peers of example bench-federated learn: the quadratic functions
// of SCAFFOLD's paper, the generated data of FedProx's, and rendered digits.
package task

import (
	"fmt"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
)

// Config says which task, and what is difficult about it.
type Config struct {
	Name    string  // quadratic, synthetic or digits
	Clients int     // of the federation
	Skew    float64 // G of the quadratic functions, α and β of the generated data, α of the Dirichlet distribution of labels
}

// Task is what a client has to learn from.
type Task interface {
	Size() int    // of the model
	Samples() int // that the client has

	// Gradient writes the gradient of the client's loss to dst, of a batch that r draws.
	Gradient(dst, model []float32, r *rand.Rand)
}

// Judge says how good a model is for all clients together: a loss, which is less for better
// ones, and how many of those examples are right that nobody learns from.
type Judge interface {
	Size() int
	Judge(model []float32) (loss, accuracy float64)
}

// Local is how clients learn.
type Local struct {
	Rate  float64
	Steps int
	First float32 // what each element of the first model is
}

// Local returns how clients of a task learn.
func (c Config) Local() Local {
	switch c.Name {
	case "quadratic":
		return Local{Rate: 0.05, Steps: 10, First: 1}
	case "synthetic":
		return Local{Rate: 0.05, Steps: 100}
	}
	return Local{Rate: 0.2, Steps: 10}
}

// Of returns the task of a client, whose number in the federation and whose data env has.
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

// Judge judges models of the task.
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
