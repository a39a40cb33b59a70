// Command products times square products of float32 matrices in comparison with OpenBLAS and with the
// processor's peak, and writes the section "Products" of BENCH.md.
//
//	go run ./internal/bench/products -python python3
//
// The contenders work in turn, in several rounds, and the figures are medians. Between bbgen's products the
// peak is measured: the same number of multiply-adds on registers alone, at the clock that the processor has
// at that time. OpenBLAS is the one in NumPy; without -python its column is empty.
package main

import (
	"flag"
	"log"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/runtime/cpu"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("products: ")
	python := flag.String("python", "", "the `program` that runs Python with NumPy")
	rounds := flag.Int("rounds", 5, "how often each is timed")
	budget := flag.Duration("time", 200*time.Millisecond, "how long one timing takes")
	out := flag.String("o", "BENCH.md", "the `file` whose section is written, - for stdout")
	of := floats32
	flag.Var(&of, "of", "the `type` of the operands: float32; or int8 or bfloat16, beside the peak of the processor's tiles")
	var threads section.Counts
	flag.Var(&threads, "threads", "the `numbers` of threads, as in 1,2,4 (default 1,2)")
	flag.Parse()
	if threads == nil {
		threads = section.Counts{1, 2}
	}
	var rows []*row
	for _, threads := range threads {
		for _, n := range []int{256, 512, 1024, 2048} {
			rows = append(rows, &row{n: n, threads: threads, kind: of})
		}
	}
	for range *rounds {
		for _, r := range rows {
			cpu.SetThreads(r.threads)
			r.time(*budget)
			if *python == "" || of != floats32 {
				continue
			}
			if err := r.numpy(*python, *budget); err != nil {
				log.Fatal(err)
			}
		}
	}
	if err := section.Write(*out, page(rows)); err != nil {
		log.Fatal(err)
	}
}
