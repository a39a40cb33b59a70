// Command train times steps of training in comparison with PyTorch and gomlx's Go backend, and writes the
// section "Training" of BENCH.md.
//
//	go run ./internal/bench/train -python python3 -gomlx ./internal/bench/gomlx
//
// Each contender is a process for each model and number of threads. They step in turn, in several rounds, so
// that changes of the machine's speed affect all. Figures are medians over the rounds. All steps use one
// random batch, with a learning rate so small that the model does not learn it by heart: gradients would
// become denormal numbers, with which processors are slow. One thread is compared by processor time, several
// by elapsed time. PyTorch runs eagerly and, where it can, compiled; the faster one counts. If a contender
// cannot run a model, its figure is a dash, and the reason is written to stderr.
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
