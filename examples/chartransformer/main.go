// Chartransformer trains a small transformer on the documentation of Go's standard library, character by
// character, and lets it continue a prompt. Package model is the training step that bbgen generated from
// transformer.onnx.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/examples/chartransformer/model"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/component/schedule"
	"github.com/bbgen/bbgen/runtime/host/train"
)

//go:generate go run ./gen

const (
	window  = 64 // number of characters that the model sees
	classes = 96 // size of the alphabet
)

func main() {
	weights := flag.String("weights", "chartransformer.safetensors", "the `file` for the trained weights")
	steps := flag.Int("steps", 1200, "how many batches of 32 windows to learn from")
	resume := flag.Bool("resume", false, "go on from the checkpoint")
	only := flag.Bool("generate", false, "only generate, with weights that are there")
	prompt := flag.String("prompt", "Package http ", "what the text begins with")
	n := flag.Int("n", 500, "how many characters to generate")
	temperature := flag.Float64("temperature", 0.7, "how daring the text is")
	seed := flag.Uint64("seed", 1, "of the training and of the text")
	flag.Parse()
	err := error(nil)
	if !*only {
		err = learn(*weights, *steps, *seed, *resume)
	}
	if err == nil {
		err = generate(os.Stdout, *weights, *prompt, *n, *temperature, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chartransformer:", err)
		os.Exit(1)
	}
}

// learn trains, and writes the weights with the best validation loss.
func learn(weights string, steps int, seed uint64, resume bool) error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	text, err := documentation(filepath.Join(strings.TrimSpace(string(out)), "src"))
	if err != nil {
		return err
	}
	set, err := dataset.Text(text, window, classes)
	if err != nil {
		return err
	}
	set.Train, set.Val = dataset.Split(set.Train, 0.01, seed)
	fmt.Printf("%d characters, %d of them different\n", len(text), len(set.Names))
	rate, err := schedule.Parse("cosine,warmup=100,min=1e-4")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err = train.Run(ctx, model.TrainProgram(), set, train.Options{
		Steps: steps, Batch: 32, Rate: 3e-3, Schedule: rate, Seed: seed, EvalEvery: 250, Best: weights,
		Checkpoint: "chartransformer.checkpoint", Resume: resume, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if errors.Is(err, train.ErrInterrupted) {
		err = fmt.Errorf("%w: -resume goes on", err)
	}
	return err
}
