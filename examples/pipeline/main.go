// Pipeline runs a transformer that is cut into three stages: each is a process with a part of the weights,
// and several batches are processed at a time. The outputs are those of the uncut model, bit for bit. The
// last line is a JSON object.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/bbgen/bbgen/examples/pipeline/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go run github.com/bbgen/bbgen/cmd/bbgen ../chartransformer/transformer.onnx -o model --package model --quiet
//go:generate go run github.com/bbgen/bbgen/cmd/bbgen ../chartransformer/transformer.onnx --split 3 --assume batch=8 -o peer --quiet

func main() {
	log.SetFlags(0)
	sim := flag.Bool("sim", false, "run all stages in this process, in virtual time")
	flag.Parse()
	pipeline := processes
	if *sim {
		pipeline = simulated
	}
	if err := run(os.Stdout, 12, pipeline); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Batches  int  `json:"batches"`
	Equal    bool `json:"equal"`     // bit for bit
	InFlight int  `json:"in_flight"` // largest number of batches in the pipeline
}

// window is the number of characters that the model sees, and classes the size of its alphabet.
const window, classes = 64, 96

// pipeline sends batches through the three stages. It returns the outputs in order, and the largest number of
// batches in the pipeline.
type pipeline = func(batches []*tensor.Tensor) (out []*tensor.Tensor, inFlight int, err error)

func run(w io.Writer, count int, through pipeline) error {
	batches := make([]*tensor.Tensor, count)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range batches {
		batches[i] = tensor.New(tensor.Int64, 1+r.IntN(8), window)
		for k := range tensor.Data[int64](batches[i]) {
			tensor.Data[int64](batches[i])[k] = r.Int64N(classes)
		}
	}
	got, inFlight, err := through(batches)
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

// uncut returns the output of the whole model for a batch.
func uncut(batch *tensor.Tensor) ([]float32, error) {
	m, err := model.New()
	if err != nil {
		return nil, err
	}
	var out model.Outputs
	err = m.Run(&model.Inputs{Batch: batch.Shape[0], Text: tensor.Data[int64](batch)}, &out)
	return out.Logits, err
}
