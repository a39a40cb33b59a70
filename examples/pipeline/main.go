// Pipeline runs a transformer that was cut in three: each stage is a peer with
// its part of the weights, and several batches are on their way at a time. What
// comes out is what the uncut model gives, bit for bit. The last line is a JSON
// object.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/bbgen/bbgen/examples/pipeline/model"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	stage0 "github.com/bbgen/bbgen/examples/pipeline/peer/stage0/partition"
	stage1 "github.com/bbgen/bbgen/examples/pipeline/peer/stage1/partition"
	stage2 "github.com/bbgen/bbgen/examples/pipeline/peer/stage2/partition"
)

//go:generate go run github.com/bbgen/bbgen/cmd/bbgen ../chartransformer/transformer.onnx -o model --package model --quiet
//go:generate go run github.com/bbgen/bbgen/cmd/bbgen ../chartransformer/transformer.onnx --split 3 --assume batch=8 -o peer --quiet

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout, 12); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Batches  int  `json:"batches"`
	Equal    bool `json:"equal"`     // to the bit
	InFlight int  `json:"in_flight"` // batches on their way, at most
}

// window is how many characters the model looks at, and classes how many it
// knows.
const window, classes = 64, 96

func run(w io.Writer, count int) error {
	batches := make([]*tensor.Tensor, count)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range batches {
		batches[i] = tensor.New(tensor.Int64, 1+r.IntN(8), window)
		for k := range tensor.Data[int64](batches[i]) {
			tensor.Data[int64](batches[i])[k] = r.Int64N(classes)
		}
	}
	got, inFlight, err := pipeline(batches)
	if err != nil {
		return err
	}
	out := result{Batches: count, Equal: true, InFlight: inFlight}
	for i, b := range batches {
		want, err := uncut(b)
		if err != nil {
			return err
		}
		same := slices.Equal(want, tensor.Data[float32](got[i]))
		fmt.Fprintf(w, "batch %2d of %d windows: equal %v\n", i, b.Shape[0], same)
		out.Equal = out.Equal && same
	}
	return json.NewEncoder(w).Encode(out)
}

// uncut is what one peer with the whole model makes of a batch.
func uncut(batch *tensor.Tensor) ([]float32, error) {
	m, err := model.New()
	if err != nil {
		return nil, err
	}
	var out model.Outputs
	err = m.Run(&model.Inputs{Batch: batch.Shape[0], Text: tensor.Data[int64](batch)}, &out)
	return out.Logits, err
}

// pipeline sends batches through the three stages, all at once.
func pipeline(batches []*tensor.Tensor) (out []*tensor.Tensor, inFlight int, err error) {
	net := mem.New(mem.Config{Seed: 1, Delay: int64(time.Millisecond), Command: int64(5 * time.Millisecond)})
	for _, part := range []func(runtime.Env) (*runtime.Partition, error){stage0.Default, stage1.Default, stage2.Default} {
		if _, err := part(runtime.Env{}); err != nil {
			return nil, 0, err
		}
		net.Add(runtime.Config{}, func() *runtime.Partition {
			p, _ := part(runtime.Env{}) // it could be made above
			return p
		})
	}
	net.Started = func(i int, n *runtime.Node) {
		for k := 0; i == 0 && k < len(batches) && err == nil; k++ {
			_, err = n.Invoke(n.Now(), "stage0", batches[k])
		}
	}
	first := map[uint64]int{} // which batch an execution is, by its number
	net.Told = func(i int, e runtime.Event) {
		switch {
		case e.Kind == runtime.Emitted:
			first[e.Exec.Number] = len(out)
			out = append(out, e.Value.(*tensor.Tensor))
		case e.Kind == runtime.Failed && err == nil:
			err = e.Err
		}
		if n := net.Node(0); n != nil && i == 0 {
			inFlight = max(inFlight, n.Stats().Live)
		}
	}
	done, runErr := net.Run(int64(time.Hour), func() bool { return len(out) == len(batches) || err != nil })
	switch {
	case runErr != nil:
		return nil, 0, runErr
	case err != nil:
		return nil, 0, err
	case !done:
		return nil, 0, fmt.Errorf("%d of %d batches came out", len(out), len(batches))
	}
	sorted := make([]*tensor.Tensor, len(out))
	for number, at := range first {
		sorted[number-1] = out[at] // numbers are given in the order of Invoke, from 1
	}
	return sorted, inFlight, nil
}
