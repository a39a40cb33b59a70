package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	chars "github.com/bbgen/bbgen/examples/chartransformer/model"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
)

// generate writes n characters that continue the prompt, with the weights in a file. Each is drawn from the
// distribution that the model predicts from the preceding ones.
func generate(w io.Writer, weights, prompt string, n int, temperature float64, seed uint64) error {
	s, alphabet, err := load(weights)
	if err != nil {
		return err
	}
	fmt.Fprint(w, prompt)
	r := rand.New(rand.NewPCG(seed, 1))
	ids := dataset.Encode(prompt, alphabet)
	in, target := tensor.New(tensor.Int64, 1, window), tensor.New(tensor.Int64, 1, window)
	for range n {
		last := ids[max(len(ids)-window, 0):]
		for i := range window {
			tensor.Data[int64](in)[i] = 0 // the model only looks back, so that later characters do not matter
			if i < len(last) {
				tensor.Data[int64](in)[i] = int64(last[i])
			}
		}
		for i, v := range []*tensor.Tensor{in, target} {
			if err := s.SetInput(i, v); err != nil {
				return err
			}
		}
		if _, err := s.Eval(); err != nil {
			return err
		}
		logits := tensor.Data[float32](s.Output(0).(*tensor.Tensor))
		next := draw(r, logits[(len(last)-1)*classes:][:len(alphabet)], temperature)
		ids = append(ids, int32(next))
		fmt.Fprint(w, alphabet[next])
	}
	fmt.Fprintln(w)
	return nil
}

// draw chooses an index with the probabilities softmax(logits/temperature).
func draw(r *rand.Rand, logits []float32, temperature float64) int {
	top := logits[0]
	for _, v := range logits {
		top = max(top, v)
	}
	p := make([]float64, len(logits))
	sum := 0.0
	for i, v := range logits {
		p[i] = math.Exp(float64(v-top) / temperature)
		sum += p[i]
	}
	at := r.Float64() * sum
	for i, v := range p {
		if at -= v; at < 0 {
			return i
		}
	}
	return len(p) - 1
}

// load returns a session with trained weights, and the alphabet of the training.
func load(name string) (model.TrainSession, []string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := safetensors.Decode(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	var alphabet []string
	if err := json.Unmarshal([]byte(f.Metadata["names"]), &alphabet); err != nil || len(alphabet) == 0 || len(alphabet) > classes {
		return nil, nil, fmt.Errorf("%s: no alphabet of at most %d characters", name, classes)
	}
	s, err := chars.TrainProgram().New(0)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range s.State() {
		if t := f.Tensors[v.Name]; v.Kind == model.Weight && t != nil && t.Len() == v.Value.Len() && t.DType == v.Value.DType {
			copy(v.Value.Bytes(), t.Bytes())
		} else if v.Kind == model.Weight {
			return nil, nil, fmt.Errorf("%s: no weight %q as %v", name, v.Name, v.Value)
		}
	}
	return s, alphabet, nil
}
