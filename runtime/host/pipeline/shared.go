package pipeline

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sharedWeights adds the gradients of weights that several stages have, such as an embedding that is also the output's
// matrix. The sums are the same on all of these stages, so that their copies of a weight and its optimizer's state
// remain the same.
type sharedWeights struct {
	weights [][]string           // by stage: the names of all its weights
	numbers [][]int              // by stage: which of them are shared
	sums    map[string][]float32 // of the present step, by name
	norm    map[string]float64   // of the other weights
}

// newSharedWeights finds the weights that several stages have.
func newSharedWeights(all *wholeState) *sharedWeights {
	s := &sharedWeights{weights: make([][]string, len(all.stages)), numbers: make([][]int, len(all.stages)), sums: map[string][]float32{}, norm: map[string]float64{}}
	count, size := map[string]int{}, map[string]int{}
	for k, list := range all.stages {
		for _, v := range list {
			if v.Kind == model.Weight {
				s.weights[k] = append(s.weights[k], v.Name)
				count[v.Name]++
				size[v.Name], _ = tensor.NumElements(v.Shape)
			}
		}
	}
	for k, names := range s.weights {
		for i, name := range names {
			if count[name] > 1 {
				s.numbers[k] = append(s.numbers[k], i)
				s.sums[name] = make([]float32, size[name])
			}
		}
	}
	return s
}

// reset begins a step.
func (s *sharedWeights) reset() {
	for _, sum := range s.sums {
		clear(sum)
	}
}

// add adds what a stage has computed: the norms of all its gradients, and the gradients of shared weights. The stages
// are added in their order.
func (s *sharedWeights) add(stage int, b []byte) error {
	names := s.weights[stage]
	size := 8 * len(names)
	for _, i := range s.numbers[stage] {
		size += 4 * len(s.sums[names[i]])
	}
	if len(b) != size {
		return fmt.Errorf("%w: norms and gradients of %d bytes, want %d", errMessage, len(b), size)
	}
	norms, err := unfloats(b[:8*len(names)], len(names))
	if err != nil {
		return err
	}
	for i, name := range names {
		s.norm[name] = norms[i]
	}
	b = b[8*len(names):]
	for _, i := range s.numbers[stage] {
		sum := s.sums[names[i]]
		part := make([]float32, len(sum))
		b = b[copy(tensor.Of(part, len(part)).Bytes(), b):]
		for j, x := range part {
			sum[j] += x
		}
	}
	return nil
}

// norms returns the norm of the gradient of each weight, in the order in which the stages have them.
func (s *sharedWeights) norms() (list []float64) {
	seen := map[string]bool{}
	for _, names := range s.weights {
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			if sum, ok := s.sums[name]; ok {
				list = append(list, norm(sum))
			} else {
				list = append(list, s.norm[name])
			}
		}
	}
	return list
}

// bytes returns the sums of a stage's shared weights, for the stage. The next step changes them.
func (s *sharedWeights) bytes(stage int) (parts [][]byte) {
	for _, i := range s.numbers[stage] {
		sum := s.sums[s.weights[stage][i]]
		parts = append(parts, tensor.Of(sum, len(sum)).Bytes())
	}
	return parts
}
