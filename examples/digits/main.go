// Digits classifies images of handwritten digits with a small convolutional network. Package model is the
// code that bbgen generated from digits.onnx.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/examples/digits/model"
	"github.com/bbgen/bbgen/internal/digits"
)

//go:generate go run github.com/bbgen/bbgen/cmd/bbgen digits.onnx -o model --package model --quiet

// batch is the number of digits in a run.
const batch = 50

// shown is the number of digits that are printed.
const shown = 3

// result is the last line that is printed.
type result struct {
	Digits   int     `json:"digits"`
	Accuracy float64 `json:"accuracy"`
	Micros   float64 `json:"us_per_digit"`
}

func main() {
	err := run(os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("digits", flag.ContinueOnError)
	n := f.Int("n", 1000, "how many digits to classify")
	seed := f.Uint64("seed", 2, "which data set to render; the network was trained on that of seed 1")
	dir := f.String("data", "", "classify MNIST's test files in this `folder` instead of rendered digits")
	prefix := f.String("write", "", "write the rendered digits to `PREFIX`-images-idx3-ubyte and PREFIX-labels-idx1-ubyte, and classify none")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || *n < 1 {
		return fmt.Errorf("got -n %d and arguments %q, want at least 1 and none", *n, f.Args())
	}
	if *prefix != "" {
		return render(*seed, *n).write(*prefix)
	}
	set := render(*seed, *n)
	if *dir != "" {
		var err error
		if set, err = readMNIST(*dir, *n); err != nil {
			return err
		}
	}
	found, took, err := classify(set.images)
	if err != nil {
		return err
	}
	return report(stdout, set, found, took)
}

// classify returns the digit that the network recognizes in each image, and the time of the run.
func classify(images []byte) (found []byte, took time.Duration, err error) {
	m, err := model.New()
	if err != nil {
		return nil, 0, err
	}
	var in model.Inputs
	var out model.Outputs // reused by each run
	for chunk := range slices.Chunk(images, batch*digits.Pixels) {
		in.Batch = len(chunk) / digits.Pixels
		in.Image = in.Image[:0]
		for _, p := range chunk {
			in.Image = append(in.Image, float32(p)/255)
		}
		start := time.Now()
		if err := m.Run(&in, &out); err != nil {
			return nil, 0, err
		}
		took += time.Since(start)
		for logits := range slices.Chunk(out.Logits, 10) {
			found = append(found, byte(slices.Index(logits, slices.Max(logits))))
		}
	}
	return found, took, nil
}

// report prints the first digits, how many were recognized, and a line of JSON.
func report(w io.Writer, set samples, found []byte, took time.Duration) error {
	k := min(shown, len(found))
	fmt.Fprint(w, pictures(set.images[:k*digits.Pixels]))
	var captions strings.Builder
	for i := range k {
		fmt.Fprintf(&captions, "%-*s", digits.Size+gap, fmt.Sprintf("a %d, read as %d", set.labels[i], found[i]))
	}
	right := 0
	for i, d := range found {
		if d == set.labels[i] {
			right++
		}
	}
	r := result{
		Digits:   len(found),
		Accuracy: float64(right) / float64(len(found)),
		Micros:   float64(took.Microseconds()) / float64(len(found)),
	}
	fmt.Fprintf(w, "%s\n\n%d of %d read right (%.2f %%), %.1f µs a digit in batches of %d\n", strings.TrimRight(captions.String(), " "), right, r.Digits, 100*r.Accuracy, r.Micros, batch)
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}
