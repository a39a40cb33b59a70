// Nn defines a network in Go, runs bbgen to train it on digits, loads the weights, and writes it for
// inference. The last line is a JSON object.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/internal/gobuild"
)

func main() {
	log.SetFlags(0)
	epochs := flag.Int("epochs", 2, "how often each digit is learnt from")
	file := flag.String("o", "", "keep the trained network in this `file`")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *epochs, *file); err != nil {
		log.Fatal(err)
	}
}

// result is the last line.
type result struct {
	Parameters int     `json:"parameters"`
	Epochs     int     `json:"epochs"`
	Examples   int     `json:"examples"` // number of examples for evaluation
	Loss       float64 `json:"loss"`
	Accuracy   float64 `json:"accuracy"`
}

func run(ctx context.Context, w io.Writer, epochs int, file string) error {
	dir, err := os.MkdirTemp("", "nn")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if file == "" {
		file = filepath.Join(dir, "reader.onnx")
	}
	bin, err := gobuild.Peers(dir, "github.com/bbgen/bbgen/cmd", "bbgen")
	if err != nil {
		return err
	}
	net, trained := network(), filepath.Join(dir, "trained.onnx")
	if err := train(ctx, w, bin["bbgen"], net, trained, epochs); err != nil {
		return err
	}
	if err := nn.Load(net, trained); err != nil {
		return err
	}
	if err := nn.Save(file, net, image, nn.Options{Name: "reader"}); err != nil {
		return err
	}
	r := result{Epochs: epochs}
	for _, p := range nn.Parameters(net) {
		r.Parameters += p.Data.Len()
	}
	if err := r.judge(ctx, bin["bbgen"], file); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(r)
}

// train writes the network for training, and runs bbgen to train it.
func train(ctx context.Context, w io.Writer, bbgen string, net nn.Module, trained string, epochs int) error {
	file := filepath.Join(filepath.Dir(trained), "network.onnx")
	if err := nn.Save(file, net, image, nn.Options{Seed: 1, Training: true}); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, bbgen, "train", file, "--data", "digits", "--lr", "0.002",
		"--epochs", fmt.Sprint(epochs), "--group", "*.bias:decay=0", "-o", trained)
	cmd.Dir = filepath.Dir(trained)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	return cmd.Run()
}

// judge runs bbgen to evaluate a model.
func (r *result) judge(ctx context.Context, bbgen, file string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, bbgen, "eval", file, "--data", "digits", "--json")
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	return json.Unmarshal(out.Bytes(), r)
}
