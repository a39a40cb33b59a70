// Command fuzz compares random models with the evaluation of their graphs; see package differ. Its last
// output is a line of JSON. If results differ, it exits with status 1, and writes minimized models to files
// in -out.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/internal/randomgraph/differ"
)

func main() {
	s := &differ.Search{}
	flag.Uint64Var(&s.Models, "count", 1000, "how many models")
	flag.Uint64Var(&s.First, "seed", 0, "the seed of the first model; the others follow it")
	flag.IntVar(&s.Jobs, "jobs", runtime.GOMAXPROCS(0), "how many batches at a time")
	flag.IntVar(&s.Batch, "batch", 200, "how many models a binary holds")
	flag.IntVar(&s.Smaller, "smaller", 200, "how many smaller models are tried for each failure")
	out := flag.String("out", "random-failures", "the folder for models that differ")
	passes := flag.Bool("passes", false, "only evaluate optimized graphs, without compiling code")
	flag.BoolVar(&s.ONNXRuntime, "onnxruntime", false, "compare with ONNX Runtime as well, where python3 has it")
	flag.Parse()
	differs, err := search(s, *out, *passes)
	if errors.Is(err, differ.ErrNoRuntime) {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if differs {
		os.Exit(1)
	}
}

func search(s *differ.Search, out string, passes bool) (differs bool, err error) {
	if !passes {
		dir, remove, err := project.TempDir("", "bbgen-random-*")
		if err != nil {
			return false, err
		}
		defer remove()
		if s.Toolchain, err = differ.NewToolchain(dir); err != nil {
			return false, err
		}
	}
	if s.ONNXRuntime {
		if err := available(); err != nil {
			return false, err
		}
	}
	begin := time.Now()
	s.Each = progress(s.Models, begin)
	t, err := s.Run()
	if err != nil {
		return false, err
	}
	for _, f := range t.Failures {
		name, err := differ.Save(out, f)
		if err != nil {
			return false, err
		}
		fmt.Fprintf(os.Stderr, "%s\n  %v\n", name, f)
	}
	return len(t.Failures) > 0, report(s, t, time.Since(begin))
}

// available returns an error if there is no ONNX Runtime.
func available() error {
	r, err := differ.NewRuntime()
	if err == nil {
		r.Close()
	}
	return err
}

// progress returns a function that shows the progress of a search on a terminal.
func progress(models uint64, begin time.Time) func(t differ.Tally) {
	if i, err := os.Stderr.Stat(); err != nil || i.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return func(t differ.Tally) {
		rate := float64(t.Models) / time.Since(begin).Seconds()
		fmt.Fprintf(os.Stderr, "\r\x1b[K%d of %d models, %.0f/s, %d differ", t.Models, models, rate, len(t.Failures))
		if t.Models == models {
			fmt.Fprintln(os.Stderr)
		}
	}
}

// report returns the line at the end.
func report(s *differ.Search, t differ.Tally, took time.Duration) error {
	failed := []uint64{}
	for _, f := range t.Failures {
		failed = append(failed, f.Model.Seed)
	}
	slices.Sort(failed)
	return json.NewEncoder(os.Stdout).Encode(struct {
		Seed uint64 `json:"seed"`
		differ.Tally
		Failures int      `json:"failures"`
		Failed   []uint64 `json:"failed_seeds"`
		Seconds  float64  `json:"seconds"`
	}{s.First, t, len(failed), slices.Compact(failed), took.Seconds()})
}
