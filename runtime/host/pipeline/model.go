package pipeline

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Class is the class of the peers.
const Class = "stage"

// Model is a model that is trained in stages.
type Model struct {
	Name, Source string
	Inputs       int     // how many inputs the model has
	ClipNorm     float64 // the limit for the norm of the gradients of all stages; 0: none
	Stages       []Stage
}

// Stage is a part of a [Model]. The first inputs of its program are the outputs of the stage before; the others are
// inputs of the model.
type Stage struct {
	Program model.TrainProgram
	Inputs  []int // the inputs of the model that it reads, by number, in the order of the program
}

// received returns how many inputs a stage receives from the one before.
func (s *Stage) received() int { return len(s.Program.Inputs) - len(s.Inputs) }

// last returns the stage with the loss and the outputs of the model.
func (m *Model) last() *Stage { return &m.Stages[len(m.Stages)-1] }

// fingerprint returns a hash that is the same for all processes of one program.
func (m *Model) fingerprint() []byte {
	type part struct {
		Name, Loss, Optimizer    string
		Rate                     float64
		Inputs, Targets, Outputs []model.Port
		State                    int
		Reads                    []int
	}
	var parts []part
	for _, s := range m.Stages {
		p := s.Program
		parts = append(parts, part{p.Name, p.Loss, p.Optimizer, p.Rate, p.Inputs, p.Targets, p.Outputs, p.State, s.Inputs})
	}
	b, err := json.Marshal(struct {
		Name     string
		ClipNorm float64
		Parts    []part
	}{m.Name, m.ClipNorm, parts})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	sum := sha256.Sum256(append([]byte("bbgen pipeline training 1 "), b...))
	return sum[:]
}

// whole returns the program of the whole model, without New. If micro-batches have a fixed size, the program's batch has
// that of all of them.
func (m *Model) whole(micros int) (model.TrainProgram, error) {
	last := m.last().Program
	p := model.TrainProgram{
		Name: m.Name, Source: m.Source, Loss: last.Loss, Optimizer: last.Optimizer, Rate: last.Rate, Accumulate: last.Accumulate,
		Inputs: make([]model.Port, m.Inputs), Targets: slices.Clone(last.Targets), Outputs: slices.Clone(last.Outputs),
		Classes: last.Classes, Columns: last.Columns, Ignored: last.Ignored,
	}
	for _, s := range m.Stages {
		p.State += s.Program.State
		for i, number := range s.Inputs {
			p.Inputs[number] = s.Program.Inputs[s.received()+i]
		}
	}
	for _, port := range slices.Concat(p.Inputs, p.Targets) {
		if port.Elem == tensor.String || len(port.Dims) == 0 {
			return p, fmt.Errorf("%s is %s, want a tensor of numbers with an axis for the batch", port.Name, port.Type)
		}
	}
	size, err := strconv.Atoi(p.Inputs[0].Dims[0])
	if err != nil {
		return p, nil
	}
	for _, list := range [][]model.Port{p.Inputs, p.Targets, p.Outputs} {
		for i, port := range list {
			if len(port.Dims) == 0 {
				continue // an output may be one number
			}
			if n, err := strconv.Atoi(port.Dims[0]); err == nil && size > 0 && n%size == 0 {
				list[i].Dims = append([]string{strconv.Itoa(n * micros)}, port.Dims[1:]...)
			}
		}
	}
	return p, nil
}

// sizes returns how many of n examples each micro-batch has. There are no more micro-batches than examples.
func sizes(n, micros int) []int {
	k := min(n, micros)
	list := make([]int, k)
	for i := range list {
		list[i] = n*(i+1)/k - n*i/k
	}
	return list
}

// rows returns a copy of the part of a tensor for some of n examples, from one to before another.
func rows(t *tensor.Tensor, from, to, n int) (*tensor.Tensor, error) {
	if len(t.Shape) == 0 || n == 0 || t.Shape[0]%n != 0 {
		return nil, fmt.Errorf("a value of shape %v for %d examples cannot be divided into micro-batches: want the examples on the first axis", t.Shape, n)
	}
	shape := slices.Clone(t.Shape)
	shape[0] = t.Shape[0] / n * (to - from)
	part := tensor.New(t.DType, shape...)
	each := len(t.Bytes()) / n
	copy(part.Bytes(), t.Bytes()[from*each:to*each])
	return part, nil
}

// join returns the parts of a value one behind the other, along the first axis. If they have no such axis it returns the
// last one.
func join(parts []*tensor.Tensor) *tensor.Tensor {
	last := parts[len(parts)-1]
	if len(last.Shape) == 0 || len(parts) == 1 {
		return last
	}
	shape := slices.Clone(last.Shape)
	shape[0] = 0
	for _, p := range parts {
		shape[0] += p.Shape[0]
	}
	all := tensor.New(last.DType, shape...)
	b := all.Bytes()
	for _, p := range parts {
		b = b[copy(b, p.Bytes()):]
	}
	return all
}
