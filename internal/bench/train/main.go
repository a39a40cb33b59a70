// Command train times steps of training beside PyTorch and gomlx's Go backend,
// and writes the section "Training" of BENCH.md.
//
//	go run ./internal/bench/train -python python3 -gomlx ./internal/bench/gomlx
//
// Each contender is a process for each model and number of threads. They step
// in turn, round after round, so that a machine whose speed drifts treats all
// alike; figures are medians over the rounds. Each has one random batch and so
// small a learning rate that it does not learn it by heart: gradients that fade
// away are denormal numbers in the end, which processors are slow with. One thread is compared by processor time, several by the clock.
// PyTorch runs eagerly and, where it can, compiled; the faster counts. A
// contender that cannot run a model leaves a dash, and says why on stderr.
package main

import (
	"flag"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/internal/project"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("train: ")
	python := flag.String("python", "", "the `program` that runs Python with PyTorch")
	gomlx := flag.String("gomlx", "", "the `folder` of the module that times gomlx")
	only := flag.String("models", "", "the `names` of the models to time, all if there are none")
	rounds := flag.Int("rounds", 9, "how often each is timed")
	budget := flag.Duration("time", 500*time.Millisecond, "how long one timing takes")
	out := flag.String("o", "BENCH.md", "the `file` whose section is written, - for stdout")
	flag.Parse()
	tmp, remove, err := project.TempDir("", "bbgen-bench-*")
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	c := &contest{tmp: tmp, rounds: *rounds, budget: *budget, python: *python, gomlx: *gomlx}
	load := busy()
	var rows []*row
	for _, m := range models {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), m.name) {
			continue
		}
		r, err := c.run(m)
		if err != nil {
			log.Print(err)
			remove()
			os.Exit(1)
		}
		rows = append(rows, r)
	}
	if err := section.Write(*out, page(rows, load)); err != nil {
		log.Print(err)
		remove()
		os.Exit(1)
	}
}
