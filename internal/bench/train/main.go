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
//
// A machine without a Go toolchain uses programs that another one has built:
//
//	go run ./internal/bench/train -build PEERS
//	train -python python3 -peers PEERS -threads 1,2,16 -o -
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
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
	peers := flag.String("peers", "", "a `folder` of programs that -build has written")
	build := flag.String("build", "", "write the programs into a `folder`, and do nothing else")
	var threads section.Counts
	flag.Var(&threads, "threads", "the `numbers` of threads, as in 1,2,4 (default 1,2)")
	out := flag.String("o", "BENCH.md", "the `file` whose section is written, - for stdout")
	flag.Parse()
	if threads == nil {
		threads = section.Counts{1, 2}
	}
	tmp, remove, err := project.TempDir("", "bbgen-bench-*")
	if err != nil {
		log.Fatal(err)
	}
	c := &contest{tmp: tmp, peers: *peers, threads: threads, rounds: *rounds, budget: *budget, python: *python, gomlx: *gomlx}
	err = c.all(*only, *build, *out)
	remove()
	if err != nil {
		log.Fatal(err)
	}
}

// all times the models, all of them if only is empty, and writes the section of out. With a folder build, it writes
// their programs there instead.
func (c *contest) all(only, build, out string) error {
	load := busy()
	if build != "" {
		if err := os.MkdirAll(build, 0o777); err != nil {
			return err
		}
	}
	var rows []*row
	for _, m := range models {
		if only != "" && !slices.Contains(strings.Split(only, ","), m.name) {
			continue
		}
		if build != "" {
			if err := c.build(m, filepath.Join(build, m.name)); err != nil {
				return err
			}
			continue
		}
		r, err := c.run(m)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	if build != "" {
		return nil
	}
	return section.Write(out, page(rows, c.threads, load))
}
